type Call = { id: string };

/**
 * The ids of tool calls while one request is written. Ids of other vendors may have characters that Anthropic refuses,
 * or be repeated; such a call gets a new id, and its result the same one.
 */
export class CallIds {
  readonly #used = new Set<string>();
  readonly #open: { given: string; sent: string }[] = [];

  /** Gives the call a unique id, and keeps it until its result. */
  open(call: Call): void {
    const given = call.id;
    const legal = given.replace(/[^\w-]/g, "_") || "call";
    let sent = legal;
    for (let count = 2; this.#used.has(sent); count += 1) sent = `${legal}_${count}`;
    this.#used.add(sent);
    this.#open.push({ given, sent });
    call.id = sent;
  }

  /** Returns the id of the open call for its result, and closes it. */
  take(given: string): string | undefined {
    const index = this.#open.findIndex((call) => call.given === given);
    return index === -1 ? undefined : this.#open.splice(index, 1)[0]?.sent;
  }

  /** Returns the ids of all open calls, and closes them. */
  takeAll(): string[] {
    return this.#open.splice(0).map(({ sent }) => sent);
  }
}
