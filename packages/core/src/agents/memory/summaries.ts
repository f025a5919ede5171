import { abortedError } from "../../base/errors/aborted-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { shorten } from "../../schema/schema-issue.ts";
import { askMemoryModel } from "./ask-memory-model.ts";
import { dataBlock, withoutBreaks } from "./data-block.ts";
import { warnCaller } from "./memory-options.ts";
import type { MemoryModelOptions } from "./memory-options.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { toTranscript } from "./transcript.ts";

/**
 * Long-term part of a session's memory, made of messages that left the window: summaries, and lines that are not
 * summarised yet.
 */
export type LongTermMemory = Pick<MemoryRecord, "pending" | "summaries">;

/**
 * The model that writes summaries, and the options of its calls. Without a model, summaries are digests: the beginnings
 * of lines.
 */
export type SummaryOptions = MemoryModelOptions & {
  model?: ModelProvider | undefined;
  signal?: AbortSignal | undefined;
};

const maxSummaries = 8;
const mergedAtOnce = 4;
const maxPending = 40;

/** The maximum length of a summary or a digest, in characters. */
const maxLength = 1200;
/** The maximum length of a model's answer that may be cut to a summary, in characters. */
const maxAnswerLength = 10 * maxLength;
/** The maximum length of the lines that a model reads, in characters. */
const maxInputLength = 40_000;

const instructions =
  "You write the memory of a conversation. Sum up the record you are given in at most 120 words: what the user wants and " +
  "said, what was found, done and decided, with names and numbers. Write plain sentences and nothing else.";

/**
 * Adds messages that left the window to the long-term memory. They are kept as lines until there are enough for a
 * summary, so that not every turn calls the model. If the summaries become too many, the oldest are merged.
 */
export async function addToLongTerm(
  { pending, summaries }: LongTermMemory,
  overflow: readonly ChatMessage[],
  { maxMessages, ...summarizer }: SummaryOptions & { maxMessages: number },
): Promise<LongTermMemory> {
  const lines = [...pending, ...toTranscript(overflow)];
  if (lines.length < Math.min(maxPending, Math.max(2, Math.ceil(maxMessages / 2)))) {
    return { pending: lines, summaries };
  }
  return { pending: [], summaries: await merge([...summaries, await summarize(lines, summarizer)], summarizer) };
}

/**
 * Returns the summaries of a long-term memory, oldest first, followed by a digest of the lines that are not summarised
 * yet.
 */
export function readSummaries({ pending, summaries }: LongTermMemory): string[] {
  return pending.length === 0 ? [...summaries] : [...summaries, digest(pending)];
}

/**
 * Summarises lines of a transcript by the model, in at most 1,200 characters. Returns a digest if there is no model or
 * no usable answer. Throws only if the signal aborts.
 */
export async function summarize(lines: readonly string[], summarizer: SummaryOptions): Promise<string> {
  const { model, signal } = summarizer;
  if (model === undefined) return digest(lines);
  try {
    return await askForSummary(lines, { ...summarizer, model });
  } catch (error) {
    if (signal?.aborted) throw abortedError(signal.reason);
    const message = "The model could not summarise the memory. A digest is kept instead.";
    warnCaller(summarizer, { code: "summary_failed", message, error });
    return digest(lines);
  }
}

/**
 * Makes a summary without a model: joins the beginnings of the newest lines, up to 1,200 characters. The same lines
 * always yield the same digest.
 */
export function digest(lines: readonly string[]): string {
  const length = Math.max(60, Math.floor(maxLength / Math.max(1, lines.length)) - separator.length);
  const shortened = lines.map((line) => shorten(line, length));
  return newest(shortened, maxLength).join(separator);
}

const separator = " / ";

async function merge(summaries: string[], summarizer: SummaryOptions): Promise<string[]> {
  if (summaries.length <= maxSummaries) return summaries;
  const merged = await summarize(summaries.slice(0, mergedAtOnce), summarizer);
  return [merged, ...summaries.slice(mergedAtOnce)];
}

async function askForSummary(
  lines: readonly string[],
  { model, ...rest }: SummaryOptions & { model: ModelProvider },
): Promise<string> {
  const read = newest(lines, maxInputLength);
  const record = dataBlock({ tag: "conversation", about: "A part of a conversation, oldest first.", lines: read });
  const answer = await askMemoryModel({
    ...rest,
    model,
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: record },
    ],
  });
  const isUsable = answer.length <= maxAnswerLength && answer.trim() !== "";
  if (!isUsable)
    throw new TroupeError(
      "model_failed",
      `The model answered with a summary of ${answer.length} characters. Expected 1 to ${maxAnswerLength}.`,
    );
  return shorten(withoutBreaks(answer.toWellFormed()), maxLength);
}

function newest(lines: readonly string[], room: number): readonly string[] {
  let left = room;
  const first = lines.findLastIndex((line) => (left -= line.length + separator.length) < 0);
  return lines.slice(first + 1);
}
