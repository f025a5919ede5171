import type { ModelRules } from "./model-rules.ts";

/**
 * The ids of the tool calls in one request. Ids of other vendors may be repeated, or have characters or a length that
 * the model refuses. Such a call gets a new id, and its result the same id.
 */
export class CallIds {
  readonly #format: ModelRules["callIds"];
  readonly #used = new Set<string>();
  readonly #open: { given: string; sent: string }[] = [];

  constructor(format: ModelRules["callIds"]) {
    this.#format = format;
  }

  /** Returns an id that is unique in the request, and stores it until the call's result. */
  open(given: string): string {
    const sent = this.#format === "short" ? this.#shortId(given) : this.#longId(given);
    this.#used.add(sent);
    this.#open.push({ given, sent });
    return sent;
  }

  /** Returns the id of the open tool call for a result, and closes the call. Returns undefined if there is none. */
  take(given: string): string | undefined {
    const index = this.#open.findIndex((call) => call.given === given);
    return index === -1 ? undefined : this.#open.splice(index, 1)[0]?.sent;
  }

  /** Returns the ids of all tool calls without a result, and closes the calls. */
  takeAll(): string[] {
    return this.#open.splice(0).map(({ sent }) => sent);
  }

  /** Returns an id of at most 64 letters, digits, `-` and `_`. */
  #longId(given: string): string {
    const legal = given.replace(/[^\w-]/g, "_") || "call";
    let sent = legal.slice(0, 64);
    for (let count = 2; this.#used.has(sent); count += 1) sent = `${legal.slice(0, 56)}_${count}`;
    return sent;
  }

  /**
   * Returns an id of exactly nine letters and digits. Bedrock's own ids have equal beginnings, so the last nine
   * characters are used.
   */
  #shortId(given: string): string {
    const legal = given
      .replace(/[^a-zA-Z0-9]/g, "")
      .slice(-9)
      .padStart(9, "0");
    let sent = legal;
    for (let count = 2; this.#used.has(sent); count += 1) sent = `${legal.slice(0, -String(count).length)}${count}`;
    return sent;
  }
}
