import { setTimeout as sleep } from "node:timers/promises";
import type { StorageDriver } from "@troupe/core";
import { connect } from "./connect.ts";

/** Milliseconds that the one whose turn it is has to come to a storage call, before the other goes on. */
const patienceMs = 8;

/**
 * The order of the storage calls of two processes: whose turn it is, and for how many calls. When the turns are over, all
 * calls pass.
 */
export class Schedule {
  readonly #calls: [(() => void)[], (() => void)[]] = [[], []];
  readonly #turns: readonly (readonly [process: 0 | 1, calls: number])[];
  #isOver = false;

  constructor(turns: readonly (readonly [process: 0 | 1, calls: number])[]) {
    this.#turns = turns;
  }

  /** Makes a process's connection to the storage. */
  connect(driver: StorageDriver, process: 0 | 1): StorageDriver {
    return connect(driver, async (name, _args, make) => {
      if (!this.#isOver && name !== "close") await new Promise<void>((resolve) => this.#calls[process].push(resolve));
      return await make();
    });
  }

  /** Lets the calls through, turn by turn. */
  async run(): Promise<void> {
    for (const [process, calls] of this.#turns) {
      for (let call = 0; call < calls; call++) (await this.#next(process))?.();
    }
    this.#isOver = true;
    for (const call of this.#calls.flat()) call();
  }

  async #next(process: 0 | 1): Promise<(() => void) | undefined> {
    const [own, other] = [this.#calls[process], this.#calls[process === 0 ? 1 : 0]];
    for (let waited = 0; waited < patienceMs && own.length === 0; waited++) await sleep(1);
    return own.shift() ?? other.shift();
  }
}
