import { TroupeError } from "@troupe/core";
import { cutText } from "@troupe/core/kit";
import type { RunCaller, RunService } from "@troupe/core/runs";
import { toShownJson } from "./shown-json.ts";

/** Largest number of questions that are kept. */
const mostKept = 2000;
/** Largest number of characters of a question that are kept. */
const longestQuestion = 400;

/**
 * The beginnings of the questions of runs. The input of a run never changes, so a list that is read every few seconds
 * reads each input once.
 */
export class Questions {
  readonly #runs: Pick<RunService, "readInput">;
  readonly #most: number;
  /** The questions by the ids of their runs, the questions that were used last at the end. */
  readonly #kept = new Map<string, string>();

  constructor(runs: Pick<RunService, "readInput">, most = mostKept) {
    this.#runs = runs;
    this.#most = most;
  }

  /** Returns the question of a run that the caller may see; undefined if the run had none, or has been removed. */
  async read(runId: string, caller: RunCaller): Promise<string | undefined> {
    const known = this.#kept.get(runId);
    const question = known ?? toQuestion(await this.#runs.readInput(runId, caller).catch(ifRemoved));
    if (question === "") return undefined;
    this.#kept.delete(runId);
    this.#kept.set(runId, question);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
    return question;
  }
}

/** Returns the beginning of the text of an input in one line. Secrets in it are hidden. */
function toQuestion(input: unknown): string {
  const shown = toShownJson(input ?? "");
  const text = typeof shown === "string" ? shown : Array.isArray(shown) ? textOf(shown) : fieldsOf(shown);
  return cutText(
    cutText(text, 4 * longestQuestion)
      .replaceAll(/\s+/g, " ")
      .trim(),
    longestQuestion,
  );
}

/** Returns the texts of the content parts of an input. */
function textOf(parts: readonly unknown[]): string {
  const texts = parts.map((part) =>
    typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? part.text : "",
  );
  return texts.filter((text) => text !== "").join(" ");
}

/** Returns the fields of a workflow's input in words: `city: Oslo, days: 3`. */
function fieldsOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input);
  const fields = Object.entries(input).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return fields.join(", ");
}

/** Returns undefined for the input of a run that has been removed in the meantime. Rethrows any other error. */
function ifRemoved(error: unknown): undefined {
  if (TroupeError.is(error) && ["storage_corrupt", "not_found", "gone"].includes(error.code)) return undefined;
  throw error;
}
