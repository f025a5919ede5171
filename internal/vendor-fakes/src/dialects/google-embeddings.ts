import type { EmbeddingFormat, VendorRequest } from "../dialect.ts";
import { objectOf, objectsIn, wordOf } from "../json-body.ts";
import { jsonReply } from "../json-reply.ts";
import { failAsGoogle } from "./google-errors.ts";
import { readGooglePath } from "./google-path.ts";

/** Gemini's three ways to embed: many texts, one content, and the cloud platform's instances. */
export const googleEmbeddings: EmbeddingFormat = {
  textsOf(request) {
    const { requests, content, instances } = objectOf(request.body);
    switch (methodOf(request)) {
      case "batchEmbedContents":
        return objectsIn(requests).map((one) => textIn(one["content"]));
      case "predict":
        return objectsIn(instances).map((one) => wordOf(one["content"]));
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

/** Models that the vendor has ended. */
const shutDown = /^(?:text-embedding-004|embedding-001)$/;

/** A vector of so many values at most, which is no longer of length one: what is over goes to the values before it. */
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
    .map(({ text }) => wordOf(text))
    .join("");
}
