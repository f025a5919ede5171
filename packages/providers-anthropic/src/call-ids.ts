type Call = { id: string };

/**
 * The ids of the tool calls in one request. Ids of other vendors may be repeated, or have characters that Anthropic
 * refuses. Such a call gets a new id, and its result the same id.
 */
export class CallIds {
  readonly #used = new Set<string>();
  readonly #open: { given: string; sent: string }[] = [];

  /** Gives a tool call an id that is unique in the request, and stores it until the call's result. */
  open(call: Call): void {
    const given = call.id;
    const legal = given.replace(/[^\w-]/g, "_") || "call";
    let sent = legal;
    for (let count = 2; this.#used.has(sent); count += 1) sent = `${legal}_${count}`;
    this.#used.add(sent);
    this.#open.push({ given, sent });
    call.id = sent;
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
}
