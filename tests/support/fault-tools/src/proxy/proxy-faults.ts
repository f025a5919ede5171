import { EventEmitter, once } from "node:events";

/** Faults in one direction of a proxy. Counts are per connection and direction, from the start of the connection. */
export type FlowFaults = {
  /** Milliseconds by which each piece of data is delayed. No further data is read meanwhile. */
  latencyMs?: number;
  /** Largest write in bytes. */
  sliceBytes?: number;
  /** Largest number of bytes per second. */
  bytesPerSecond?: number;
  /**
   * Number of bytes after which the receiver sees a clean end and the sender's connection is closed. 0: when the
   * first byte arrives.
   */
  cutAfterBytes?: number;
  /** Number of bytes after which both sides see a reset. 0: when the first byte arrives. */
  resetAfterBytes?: number;
  /** Holds back data and ends until the fault is removed, and then passes them on. */
  blackHole?: boolean;
  /** Passes data on, but hides the end of the sender from the receiver until the fault is removed. */
  halfOpen?: boolean;
};

/** Faults of a proxy, by direction. */
export type ProxyFaults = {
  /** From the client to the target. */
  toTarget?: FlowFaults;
  /** From the target to the client. */
  toClient?: FlowFaults;
};

/** A direction through a proxy. */
export type Direction = keyof ProxyFaults;

/** The current faults of a proxy, which can be changed and awaited. */
export class FaultSwitch {
  #faults: ProxyFaults;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  constructor(faults: ProxyFaults) {
    this.#faults = faults;
  }

  of(direction: Direction): FlowFaults {
    return this.#faults[direction] ?? {};
  }

  set(faults: ProxyFaults): void {
    this.#faults = faults;
    this.#changes.emit("change");
  }

  /** Resolves with the faults once none of the named faults is set. Rejects when the signal aborts. */
  async lifted(
    direction: Direction,
    names: readonly ("blackHole" | "halfOpen")[],
    signal: AbortSignal,
  ): Promise<FlowFaults> {
    signal.throwIfAborted();
    while (names.some((name) => this.of(direction)[name] === true)) await once(this.#changes, "change", { signal });
    return this.of(direction);
  }
}
