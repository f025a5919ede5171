import type { HeldShare } from "./caller-shares.ts";
import type { CallerKey, CountedCaller } from "./counted-caller.ts";

type Holding = { readonly caller: CountedCaller; readonly size: number };

/** The items that callers hold under one limit, such as runs or sessions, each with an id and a size. */
export class CallerHoldings {
  readonly #holdings = new Map<string, Holding>();
  /**
   * The total sizes of the held items: one size for each caller, by its key, and one for all callers of a kind
   * together.
   */
  readonly #own = new Map<CallerKey, number>();
  readonly #together = new Map<CountedCaller["kind"], number>();

  /** Records an item that a caller holds, replacing an item with the same id. */
  set(id: string, caller: CountedCaller, size = 1): void {
    this.delete(id);
    this.#holdings.set(id, { caller, size });
    this.#count(caller, size);
  }

  /** Changes the size of an item. Unknown ids are ignored. */
  grow(id: string, by: number): void {
    const holding = this.#holdings.get(id);
    if (holding === undefined) return;
    this.#holdings.set(id, { ...holding, size: holding.size + by });
    this.#count(holding.caller, by);
  }

  delete(id: string): void {
    const holding = this.#holdings.get(id);
    if (!this.#holdings.delete(id) || holding === undefined) return;
    this.#count(holding.caller, -holding.size);
  }

  /** Returns the total size of a caller's items, and of the items of all callers of its kind. */
  of({ key, kind }: CountedCaller): HeldShare {
    return { own: this.#own.get(key) ?? 0, together: this.#together.get(kind) ?? 0 };
  }

  #count({ key, kind }: CountedCaller, by: number): void {
    const own = (this.#own.get(key) ?? 0) + by;
    if (own > 0) this.#own.set(key, own);
    else this.#own.delete(key);
    this.#together.set(kind, (this.#together.get(kind) ?? 0) + by);
  }
}
