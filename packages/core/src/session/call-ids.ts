/** Gives every call of a history an id of its own; the first with an id keeps it. */
export class CallIds {
  // Both are made when there is something to keep: most conversations have no calls.
  #taken: Set<string> | undefined;
  /** By id, the number to try next: many calls may want the same one. */
  #numbers: Map<string, number> | undefined;

  /** The id, or when it is empty or taken, one made of it. */
  take(id: string): string {
    const taken = (this.#taken ??= new Set<string>());
    const own = id === "" || taken.has(id) ? this.#another(id || "call", taken) : id;
    taken.add(own);
    return own;
  }

  #another(stem: string, taken: ReadonlySet<string>): string {
    const numbers = (this.#numbers ??= new Map<string, number>());
    let number = numbers.get(stem) ?? 2;
    while (taken.has(`${stem}_${number}`)) number++;
    numbers.set(stem, number + 1);
    return `${stem}_${number}`;
  }
}
