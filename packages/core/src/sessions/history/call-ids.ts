/**
 * Makes the tool call ids of one history unique, as vendors require. The first call with an id keeps it; `take` derives
 * a new id for each later call, and for an empty id.
 */
export class CallIds {
  // `#taken` and `#numbers` are created when first needed, because most conversations have no tool calls.
  #taken: Set<string> | undefined;
  /** The suffix number to try next, by original id: many calls may share one id. */
  #numbers: Map<string, number> | undefined;

  /** Returns the id of a tool call, or a derived id if it is empty or taken. */
  take(id: string): string {
    const taken = (this.#taken ??= new Set<string>());
    const own = id === "" || taken.has(id) ? this.#derive(id || "call", taken) : id;
    taken.add(own);
    return own;
  }

  #derive(stem: string, taken: ReadonlySet<string>): string {
    const numbers = (this.#numbers ??= new Map<string, number>());
    let number = numbers.get(stem) ?? 2;
    while (taken.has(`${stem}_${number}`)) number++;
    numbers.set(stem, number + 1);
    return `${stem}_${number}`;
  }
}
