type Call = { id: string };

/**
 * The ids under which calls go out. Other vendors' ids may hold letters that Anthropic refuses, and may come twice; the
 * results of a call follow it under the id that it got.
 */
export class CallIds {
  readonly #used = new Set<string>();
  readonly #open: { given: string; sent: string }[] = [];

  /** Gives the call an id that nobody has, and waits for its result. */
  open(call: Call): void {
    const given = call.id;
    const legal = given.replace(/[^\w-]/g, "_") || "call";
    let sent = legal;
    for (let count = 2; this.#used.has(sent); count += 1) sent = `${legal}_${count}`;
    this.#used.add(sent);
    this.#open.push({ given, sent });
    call.id = sent;
  }

  /** The id under which the open call went out, which is answered with this. */
  take(given: string): string | undefined {
    const index = this.#open.findIndex((call) => call.given === given);
    return index === -1 ? undefined : this.#open.splice(index, 1)[0]?.sent;
  }

  /** The ids of all calls that are still open, which are closed with this. */
  takeAll(): string[] {
    return this.#open.splice(0).map(({ sent }) => sent);
  }
}
