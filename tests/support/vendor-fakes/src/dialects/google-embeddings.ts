import type { EmbeddingFormat, VendorRequest } from "../dialect.ts";
import { objectOf, objectsIn, stringOrEmpty } from "../json-body.ts";
import { jsonReply } from "../replies.ts";
import { failAsGoogle } from "./google-errors.ts";
import { readGooglePath } from "./google-path.ts";

/** Gemini's three embedding methods: a batch, one content, and instances on Google Cloud. */
export const googleEmbeddings: EmbeddingFormat = {
  textsOf(request) {
    const { requests, content, instances } = objectOf(request.body);
    switch (methodOf(request)) {
      case "batchEmbedContents":
        return objectsIn(requests).map((one) => textIn(one["content"]));
      case "predict":
        return objectsIn(instances).map((one) => stringOrEmpty(one["content"]));
      default:
        return [textIn(content)];
    }
  },
  embed(vectors, request) {
    const { modelId = "" } = readGooglePath(request) ?? {};
    if (shutDown.test(modelId)) {
      const message = `models/${modelId} is not found for API version v1beta, or is not supported for embedContent.`;
      return failAsGoogle({ status: 404, message }, request);
    }
    const lengths = objectsIn(objectOf(request.body)["requests"]).map((one) => one["outputDimensionality"]);
    const embeddings = vectors.map((values, index) => ({ values: shorten(values, lengths[index]) }));
    switch (methodOf(request)) {
      case "batchEmbedContents":
        return jsonReply({ embeddings });
      case "predict":
        return jsonReply({ predictions: embeddings.map(({ values }) => ({ embeddings: { values, statistics } })) });
      default:
        return jsonReply({ embedding: embeddings[0] });
    }
  },
};

/** Models that the vendor has shut down. */
const shutDown = /^(?:text-embedding-004|embedding-001)$/;

/** Shortens a vector to `length` values, without normalizing it. Adds the further values to the kept ones. */
function shorten(values: readonly number[], length: unknown): readonly number[] {
  if (typeof length !== "number" || length >= values.length) return values;
  return Array.from({ length }, (_, place) =>
    values.reduce((sum, value, index) => (index % length === place ? sum + value : sum), 0),
  );
}

const statistics = { truncated: false, token_count: 1 };

function methodOf(request: VendorRequest): string | undefined {
  return readGooglePath(request)?.method;
}

function textIn(content: unknown): string {
  return objectsIn(objectOf(content)["parts"])
    .map(({ text }) => stringOrEmpty(text))
    .join("");
}
