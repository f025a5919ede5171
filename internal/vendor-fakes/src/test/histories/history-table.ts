import type { Edit } from "../edit-json.ts";

/** What is wrong, the change that makes it so, and how the vendor words its refusal. */
export type BrokenCase = [title: string, edits: Edit | Edit[], refusal: RegExp];

/** A change that a vendor must not mind. */
export type SoundCase = [title: string, edits: Edit | Edit[]];

/** What one vendor takes and what it refuses. */
export type HistoryTable = {
  vendor: string;
  path: string;
  headers?: Record<string, string>;
  /** The first request, and what is added to it when its answer has come. */
  first: Record<string, unknown>;
  /** The same conversation after two round trips with tools, made from the vendor's own answers. */
  next: (request: Record<string, unknown>, answer: Record<string, unknown>) => Record<string, unknown>;
  sound: SoundCase[];
  broken: BrokenCase[];
};
