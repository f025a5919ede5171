let read: (context: object) => unknown;

/** A context with a private slot. A copy of it has no slot. */
class SlottedContext {
  readonly #slot: object;

  constructor(facts: object, slot: object) {
    Object.assign(this, facts);
    this.#slot = slot;
  }

  // Handed out here and not as a member: every context leads to its class, and the class must lead nowhere.
  static {
    read = (context) => (#slot in context ? context.#slot : undefined);
  }
}

/**
 * Makes a run's context of its facts, with a private slot that leads to the run. Tools and hooks cannot reach the slot,
 * and a copy of the context has none: runs started with a copy are no child runs.
 */
export function withSlot<Facts extends object>(facts: Facts, slot: object): Facts {
  return new SlottedContext(facts, slot) as unknown as Facts;
}

/** Returns the slot of a context that `withSlot` made, or undefined for other objects. */
export function readSlot(context: object): unknown {
  return read(context);
}
