import type { StreamChunk, TokenUsage } from "@troupe/core";
import type { PartEvent } from "./part-events.ts";
import type { StoredPart } from "./run-parts.ts";

const noUsage: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
/** The counters that a usage may omit, and a response shows. */
const counters = ["reasoningTokens", "cachedTokens", "cacheWriteTokens"] as const;

/**
 * The usage of one part of a run, so that the sum over all parts is the usage of the run. It is taken from the journal
 * steps that were done in the part, and for the last part from the end of the run.
 */
export class PartUsage {
  readonly #before: TokenUsage;
  readonly #steps = new Map<string, TokenUsage>();
  #hasSteps = false;
  #ofAnswer: TokenUsage | undefined;

  /** @param earlier the parts of the run before this part */
  constructor(earlier: readonly StoredPart[] = []) {
    for (const { events } of earlier) for (const event of events) if (event.type !== "end") this.add(event);
    this.#before = this.#sum();
    this.#hasSteps = false;
    this.#ofAnswer = undefined;
  }

  /** Adds an event of the part. */
  add(event: PartEvent): void {
    const chunk = event.type === "chunk" ? (event.chunk as StreamChunk) : undefined;
    if (chunk?.type === "finish") this.#ofAnswer = chunk.usage;
    if (event.type !== "done" || event.usage === undefined) return;
    this.#hasSteps = true;
    // The usage of a step includes the usage of the steps within it.
    for (const step of this.#steps.keys()) if (step.startsWith(`${event.step}/`)) this.#steps.delete(step);
    this.#steps.set(event.step, event.usage);
  }

  /**
   * Returns the usage of the part; undefined if none is known.
   *
   * @param whole the usage of the whole run, for its last part
   */
  of(whole: TokenUsage | undefined): TokenUsage | undefined {
    const upToHere = whole ?? (this.#hasSteps ? this.#sum() : undefined);
    return upToHere === undefined
      ? this.#ofAnswer
      : combine(upToHere, this.#before, (count, before) => Math.max(0, count - before));
  }

  #sum(): TokenUsage {
    return [...this.#steps.values()].reduce((sum, usage) => combine(sum, usage, (one, other) => one + other), noUsage);
  }
}

/** Combines each counter of two usages. A counter that is absent in both stays absent. */
function combine(one: TokenUsage, other: TokenUsage, count: (one: number, other: number) => number): TokenUsage {
  const combined: TokenUsage = {
    promptTokens: count(one.promptTokens, other.promptTokens),
    completionTokens: count(one.completionTokens, other.completionTokens),
    totalTokens: count(one.totalTokens, other.totalTokens),
  };
  for (const name of counters) {
    const [first, second] = [one[name], other[name]];
    if (first !== undefined || second !== undefined) combined[name] = count(first ?? 0, second ?? 0);
  }
  return combined;
}
