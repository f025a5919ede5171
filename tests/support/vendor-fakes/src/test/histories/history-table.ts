import type { Edit } from "../edit-json.ts";

/** A fault, the edit that causes it, and a pattern of the vendor's refusal. */
export type BrokenCase = [title: string, edits: Edit | Edit[], refusal: RegExp];

/** An edit that a vendor accepts. */
export type SoundCase = [title: string, edits: Edit | Edit[]];

/** Histories that a vendor accepts and refuses. */
export type HistoryTable = {
  vendor: string;
  path: string;
  headers?: Record<string, string>;
  /** The first request of the conversation. */
  first: Record<string, unknown>;
  /** Returns the next request: the previous one with the vendor's answer and the tool results added. */
  next: (request: Record<string, unknown>, answer: Record<string, unknown>) => Record<string, unknown>;
  sound: SoundCase[];
  broken: BrokenCase[];
};
