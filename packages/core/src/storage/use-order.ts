/**
 * Keys in the order of their last use. A linked list beside the `Map`: a `Map` keeps places for what was deleted at its
 * front, and each look at its oldest entry would walk over all of them.
 */
export class UseOrder {
  readonly #links = new Map<string, Link>();
  // Closes the ring: the youngest is before it, the oldest behind it.
  readonly #ends = new Link("", 0);

  get size(): number {
    return this.#links.size;
  }

  /** The key that was not used for longest, and when it last was. */
  get oldest(): { readonly key: string; readonly usedAt: number } | undefined {
    return this.size === 0 ? undefined : this.#ends.next;
  }

  /** Makes the key the youngest. */
  use(key: string, usedAt: number): void {
    this.forget(key);
    const link = new Link(key, usedAt);
    link.insertBefore(this.#ends);
    this.#links.set(key, link);
  }

  /** Takes the key out, if it is in. */
  forget(key: string): void {
    this.#links.get(key)?.remove();
    this.#links.delete(key);
  }
}

class Link {
  readonly key: string;
  readonly usedAt: number;
  next: Link = this;
  #previous: Link = this;

  constructor(key: string, usedAt: number) {
    this.key = key;
    this.usedAt = usedAt;
  }

  insertBefore(next: Link): void {
    this.#previous = next.#previous;
    this.next = next;
    this.#previous.next = this;
    next.#previous = this;
  }

  remove(): void {
    this.#previous.next = this.next;
    this.next.#previous = this.#previous;
  }
}
