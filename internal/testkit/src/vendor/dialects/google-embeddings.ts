import type { EmbeddingFormat, VendorRequest } from "../dialect.ts";
import { objectOf, objectsIn, wordOf } from "../json-body.ts";
import { jsonReply } from "../json-reply.ts";
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
    const embeddings = vectors.map((values) => ({ values }));
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

const statistics = { truncated: false, token_count: 1 };

function methodOf(request: VendorRequest): string | undefined {
  return readGooglePath(request)?.method;
}

function textIn(content: unknown): string {
  return objectsIn(objectOf(content)["parts"])
    .map(({ text }) => wordOf(text))
    .join("");
}
