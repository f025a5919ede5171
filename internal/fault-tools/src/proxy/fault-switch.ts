import { EventEmitter, once } from "node:events";
import type { FlowFaults, ProxyFaults } from "./proxy-faults.ts";

/** The two ways through a proxy. */
export type Direction = keyof ProxyFaults;

/** The faults that are on now; who has to wait for one to be lifted waits here. */
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

  /** Resolves with the faults once none of those named is on; rejects when the signal aborts. */
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
