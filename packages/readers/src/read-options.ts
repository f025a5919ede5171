import { integerOption, millisecondsOption, optional } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";

/** Limits on the reading of a document. A document beyond one of them is rejected with a sentence that names it. */
export type ReadOptions = {
  /** The maximum size of a document in bytes. @default 33554432 */
  maxBytes?: number | undefined;
  /** The maximum number of pages of a PDF. @default 2000 */
  maxPages?: number | undefined;
  /** Milliseconds after which the reading of a PDF is stopped. @default 60000 */
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
