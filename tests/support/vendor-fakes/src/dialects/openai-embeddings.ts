import type { EmbeddingFormat } from "../dialect.ts";
import { objectOf, stringOrEmpty } from "../json-body.ts";
import { jsonReply } from "../replies.ts";

/** OpenAI's embeddings: base64 of 32-bit floats when requested, and in no particular order. */
export const openaiEmbeddings: EmbeddingFormat = {
  textsOf({ body }) {
    const { input } = objectOf(body);
    return Array.isArray(input) ? input.map(String) : [stringOrEmpty(input)];
  },
  embed(vectors, { body }) {
    const { encoding_format: encoding, model } = objectOf(body);
    const data = vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: encoding === "base64" ? toBase64(vector) : vector,
    }));
    const usage = { prompt_tokens: vectors.length, total_tokens: vectors.length };
    return jsonReply({ object: "list", data: data.toReversed(), model, usage });
  },
};

function toBase64(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString("base64");
}
