/** Gives every call of a history an id of its own; the first with an id keeps it. */
export class CallIds {
  readonly #taken = new Set<string>();
  /** By id, the number to try next: many calls may want the same one. */
  readonly #numbers = new Map<string, number>();

  /** The id, or when it is empty or taken, one made of it. */
  take(id: string): string {
    const own = id === "" || this.#taken.has(id) ? this.#another(id || "call") : id;
    this.#taken.add(own);
    return own;
  }

  #another(stem: string): string {
    let number = this.#numbers.get(stem) ?? 2;
    while (this.#taken.has(`${stem}_${number}`)) number++;
    this.#numbers.set(stem, number + 1);
    return `${stem}_${number}`;
  }
}
