import { TroupeError } from "../errors/troupe-error.ts";
import { cleanJson } from "../util/clean-json.ts";
import { keyProblem } from "../util/key-problem.ts";
import type { VectorDocument } from "./vector-store.ts";

/** Refuses the name of a document or collection that not every store could keep as it is. */
export function checkVectorName(kind: "document id" | "collection name", name: string): void {
  const problem = name === "" ? "must not be empty" : keyProblem(name);
  if (problem !== undefined) throw new TroupeError("invalid_value", `The ${kind} ${problem}.`);
}

/** What a store keeps of a document beside its embedding. */
export type DocumentText = Omit<VectorDocument, "embedding">;

/** Copies what a store keeps of a document beside its embedding, and refuses what cannot be kept. */
export function copyDocument({ id, content, metadata }: VectorDocument): DocumentText {
  checkVectorName("document id", id);
  if (typeof content !== "string" || !content.isWellFormed()) {
    throw new TroupeError("invalid_value", "The content of a document must be well-formed text.");
  }
  return { id, content, ...(metadata !== undefined && { metadata: toRecord("metadata", metadata) }) };
}

/** Copies a record of JSON values: metadata, or what it is filtered by. */
export function toRecord(name: "metadata" | "filter", value: unknown): Record<string, unknown> {
  const refusal = (place: string, problem: string) => new TroupeError("invalid_value", `${name}${place} ${problem}.`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refusal("", "must be an object");
  return cleanJson(value, refusal) as Record<string, unknown>;
}
