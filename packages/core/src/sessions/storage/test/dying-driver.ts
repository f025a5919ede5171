import type { StorageDriver } from "../storage-driver.ts";

/** The moment of a crash within a storage call: the call is not done any more, or its answer is not read any more. */
export const deaths = ["before it", "after it"] as const;

/** A crash at the n-th call of the storage. */
export type DeathPlan = { atCall: number; death: (typeof deaths)[number] };

/**
 * Connection of a process to a storage, or to another such store, that crashes at its n-th call: later calls reject. `insertAll`, which may be done in part,
 * counts as a call for each record.
 */
export class DyingDriver<Driver extends object = StorageDriver> {
  readonly driver: Driver;
  readonly #plan: DeathPlan;
  #calls = 0;
  #last = "";

  constructor(storage: Driver, plan: DeathPlan) {
    this.driver = new Proxy(storage, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "watch") return member.bind(target) as unknown;
        const apply = async (args: unknown[]) => (await Reflect.apply(member, target, args)) as unknown;
        return async (...args: unknown[]) => await this.#call(String(name), args, apply);
      },
    });
    this.#plan = plan;
  }

  /** True once the planned call came. */
  get hasDied(): boolean {
    return this.#calls >= this.#plan.atCall;
  }

  /** The crash in words. */
  get moment(): string {
    return `a crash at call ${this.#plan.atCall}, ${this.#plan.death}: ${this.#last}`;
  }

  async #call(name: string, args: unknown[], apply: (args: unknown[]) => Promise<unknown>): Promise<unknown> {
    const records = name === "insertAll" ? (args[0] as { namespace: string; key: string }[]) : undefined;
    const weight = records?.length ?? 1;
    const left = this.#plan.atCall - this.#calls;
    this.#calls += weight;
    if (left > weight) return await apply(args);
    if (left > 0) {
      const done = this.#plan.death === "after it" ? left : left - 1;
      this.#last = describe(name, args);
      if (done > 0) await apply(records === undefined ? args : [records.slice(0, done)]);
    }
    throw new Error("The process has crashed, as planned by the test.");
  }
}

function describe(name: string, args: readonly unknown[]): string {
  return `${name} ${JSON.stringify(args).slice(1, 200)}`;
}
