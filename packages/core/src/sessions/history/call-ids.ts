/**
 * Makes the tool call ids of one history unique, as vendors require. The first call with an id keeps it; `take` derives
 * a new id for a later one.
 */
export class CallIds {
  // Both are made with the first call: most conversations have none.
  #taken: Set<string> | undefined;
  /** The number to try next, by id: many calls may come with the same one. */
  #numbers: Map<string, number> | undefined;

  /** Returns the id, or one derived from it when it is empty or taken. */
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
