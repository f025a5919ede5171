/** Gives operations their ids: made of what generators of clients take for a name, and each only once. */
export class OperationIds {
  readonly #given = new Set<string>();

  next(verb: string, name: string): string {
    const id = `${verb}_${name.replaceAll(/[^A-Za-z0-9_]/g, "_")}`;
    let free = id;
    for (let count = 2; this.#given.has(free); count++) free = `${id}_${count}`;
    this.#given.add(free);
    return free;
  }
}
