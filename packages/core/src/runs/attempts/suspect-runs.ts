/** The number of suspect runs that a process performs at the same time. */
const mostTogether = 2;
/** Milliseconds for which a refused run is expected to come again. */
const expectedMs = 5000;

/** A place for an attempt at a suspect run. `isShared`: another suspect run may be performed beside it. */
export type SuspectPlace = { readonly isShared: boolean; leave(): void };

/**
 * The suspect runs that a process performs: runs whose processes died twice in a row without progress. At most two of
 * them run at the same time, so that a run that ends its process takes few others with it. A run that died beside
 * another suspect runs as the only one. All other runs are not limited.
 */
export class SuspectRuns {
  /** The runs in progress; true for those that share their process with another. */
  readonly #inside = new Map<string, boolean>();
  /** The runs that were refused, with the time until which they are expected again; true for those that must be alone. */
  readonly #refused = new Map<string, { readonly untilMs: number; readonly mustBeAlone: boolean }>();

  /** Returns a place for a run, or undefined if it must come again later. */
  enter(runId: string, mustBeAlone: boolean): SuspectPlace | undefined {
    const now = performance.now();
    this.#refused.delete(runId);
    for (const [other, { untilMs }] of this.#refused) if (untilMs < now) this.#refused.delete(other);
    if (!this.#hasPlace(mustBeAlone)) {
      this.#refused.set(runId, { untilMs: now + expectedMs, mustBeAlone });
      return undefined;
    }
    // If no other suspect wants to run, this one is alone, so that its death shows that it is at fault.
    const isShared = !mustBeAlone && (this.#inside.size > 0 || this.#refused.size > 0);
    this.#inside.set(runId, isShared);
    return { isShared, leave: () => void this.#inside.delete(runId) };
  }

  #hasPlace(mustBeAlone: boolean): boolean {
    const isAwaited = [...this.#refused.values()].some((refused) => refused.mustBeAlone);
    if (this.#inside.size === 0) return mustBeAlone || !isAwaited;
    const allShare = [...this.#inside.values()].every(Boolean);
    return !mustBeAlone && !isAwaited && allShare && this.#inside.size < mostTogether;
  }
}
