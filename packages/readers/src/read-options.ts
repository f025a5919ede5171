import { integerOption, millisecondsOption, optional } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";

/** Limits for reading a document. A document that exceeds a limit is rejected with an error that names the limit. */
export type ReadOptions = {
  /** The maximum size of a document in bytes. @default 33554432 */
  maxBytes?: number | undefined;
  /** The maximum number of pages of a PDF. @default 2000 */
  maxPages?: number | undefined;
  /** Milliseconds after which reading a PDF, DOCX or long HTML document is stopped. @default 60000 */
  timeoutMs?: number | undefined;
};

/** The checks and defaults of `ReadOptions`. */
export const readOptionTable = {
  maxBytes: optional(integerOption(1), 32 * 2 ** 20),
  maxPages: optional(integerOption(1), 2000),
  timeoutMs: optional(millisecondsOption, 60_000),
} satisfies OptionTable<ReadOptions>;

/** Checked `ReadOptions`. */
export type ReadLimits = { readonly maxBytes: number; readonly maxPages: number; readonly timeoutMs: number };
