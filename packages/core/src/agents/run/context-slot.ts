let read: (context: object) => unknown;

/** A run's context with a private slot that holds the run. Copies of the context have no slot. */
class SlottedContext {
  readonly #slot: object;

  constructor(facts: object, slot: object) {
    Object.assign(this, facts);
    this.#slot = slot;
  }

  // The function that reads the slot is made in a static block. A static method would be available to tools and hooks,
  // because every context exposes its class as `constructor`.
  static {
    read = (context) => (#slot in context ? context.#slot : undefined);
  }
}

/**
 * Makes a run's context from its facts, with a private slot that holds the run. Tools and hooks cannot reach the slot,
 * and a copy of the context has no slot. A run started with a copy inherits no API keys, meter or deadline.
 */
export function withSlot<Facts extends object>(facts: Facts, slot: object): Facts {
  return new SlottedContext(facts, slot) as unknown as Facts;
}

/** Returns the slot of a context that `withSlot` made, or undefined for other objects. */
export function readSlot(context: object): unknown {
  return read(context);
}
