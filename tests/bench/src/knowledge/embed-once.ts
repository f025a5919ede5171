import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { EmbeddingProvider } from "@troupe/core";

/**
 * Embeds each text once, because every store and mode embeds the same texts, and a model on this machine is slow. A
 * file keeps the vectors for the next measurement, also of one that was cut off.
 */
export function embedOnce(embeddings: EmbeddingProvider, file: string | undefined): EmbeddingProvider {
  const known = new Map<string, Promise<number[]>>(readVectors(file));
  const make = async (text: string, key: string): Promise<number[]> => {
    const vector = await embeddings.embed(text);
    if (file !== undefined) appendFileSync(file, `${JSON.stringify([key, vector])}\n`);
    return vector;
  };
  const embed = async (text: string): Promise<number[]> => {
    const key = createHash("sha256").update(text).digest("base64url");
    const vector = known.get(key) ?? make(text, key);
    known.set(key, vector);
    return await vector;
  };
  // One request at a time: small servers reset more connections.
  const embedBatch = async (texts: readonly string[]): Promise<number[][]> => {
    const vectors: number[][] = [];
    for (const text of texts) vectors.push(await embed(text));
    return vectors;
  };
  return { embed, embedBatch };
}

function readVectors(file: string | undefined): [string, Promise<number[]>][] {
  if (file === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const [key, vector] = JSON.parse(line) as [string, number[]];
    return [key, Promise.resolve(vector)];
  });
}
