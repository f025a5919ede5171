import type { ChatMessage } from "../message/message.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { digest, summarize } from "./summarize.ts";
import type { Summarizer } from "./summarize.ts";
import { toTranscript } from "./transcript.ts";

/** What is remembered of what left the window. */
export type LongTerm = Pick<MemoryRecord, "pending" | "summaries">;

const mostSummaries = 8;
const mergedAtOnce = 4;
const mostPending = 40;

/**
 * Takes in what left the window. A turn or two are kept as they are until there is enough for a summary: a model is not
 * asked with every turn, and sums up better what it sees as a whole. When the summaries become many, the oldest are merged.
 */
export async function remember(
  { pending, summaries }: LongTerm,
  overflow: readonly ChatMessage[],
  { maxMessages, ...summarizer }: Summarizer & { maxMessages: number },
): Promise<LongTerm> {
  const lines = [...pending, ...toTranscript(overflow)];
  if (lines.length < Math.min(mostPending, Math.max(2, Math.ceil(maxMessages / 2)))) {
    return { pending: lines, summaries };
  }
  return { pending: [], summaries: await merge([...summaries, await summarize(lines, summarizer)], summarizer) };
}

/** The summaries, and behind them what is not part of one yet. */
export function readSummaries({ pending, summaries }: LongTerm): string[] {
  return pending.length === 0 ? [...summaries] : [...summaries, digest(pending)];
}

async function merge(summaries: string[], summarizer: Summarizer): Promise<string[]> {
  if (summaries.length <= mostSummaries) return summaries;
  const merged = await summarize(summaries.slice(0, mergedAtOnce), summarizer);
  return [merged, ...summaries.slice(mergedAtOnce)];
}
