import { abortedError } from "../errors/aborted-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import { shorten } from "../schema/schema-issue.ts";
import { askModel } from "./ask-model.ts";
import { dataBlock, withoutBreaks } from "./data-block.ts";
import type { ModelAccount } from "./memory-options.ts";

/** Who writes summaries; without a model they are digests. */
export type Summarizer = ModelAccount & { model?: ModelProvider | undefined; signal?: AbortSignal | undefined };

/** Of a summary or a digest. */
const longestSummary = 1200;
/** An answer this long is no summary that could be cut to one. */
const longestAnswer = 10 * longestSummary;
/** What a model is given to read. */
const longestInput = 40_000;

const instructions =
  "You write the memory of a conversation. Sum up the record you are given in at most 120 words: what the user wants and " +
  "said, what was found, done and decided, with names and numbers. Write plain sentences and nothing else.";

/** Makes one text of the lines: the model's summary, or when there is no model or none of use in its answer, a digest. */
export async function summarize(lines: readonly string[], summarizer: Summarizer): Promise<string> {
  const { model, signal, logger } = summarizer;
  if (model === undefined) return digest(lines);
  try {
    return await askForSummary(lines, { ...summarizer, model });
  } catch (error) {
    if (signal?.aborted) throw abortedError(signal.reason);
    logger?.warn("The memory could not be summarised by the model: a digest is kept instead.", { error });
    return digest(lines);
  }
}

/** The beginnings of the newest lines. The same lines always have the same digest. */
export function digest(lines: readonly string[]): string {
  const length = Math.max(60, Math.floor(longestSummary / Math.max(1, lines.length)) - separator.length);
  const shortened = lines.map((line) => shorten(line, length));
  return newest(shortened, longestSummary).join(separator);
}

const separator = " / ";

async function askForSummary(
  lines: readonly string[],
  { model, ...rest }: Summarizer & { model: ModelProvider },
): Promise<string> {
  const read = newest(lines, longestInput);
  const record = dataBlock({ tag: "conversation", about: "A part of a conversation, oldest first.", lines: read });
  const answer = await askModel({
    ...rest,
    model,
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: record },
    ],
  });
  const isUsable = answer.length <= longestAnswer && answer.trim() !== "";
  if (!isUsable) throw new TroupeError("model_failed", `A summary of ${answer.length} characters is of no use.`);
  return shorten(withoutBreaks(answer.toWellFormed()), longestSummary);
}

function newest(lines: readonly string[], room: number): readonly string[] {
  let left = room;
  const first = lines.findLastIndex((line) => (left -= line.length + separator.length) < 0);
  return lines.slice(first + 1);
}
