import type { StorageDriver } from "../storage-driver.ts";

/** The moment of a crash within a storage call: the call is not done any more, or its answer is not read any more. */
export const deaths = ["before it", "after it"] as const;

/** Connection of a process that crashes at its n-th storage call: later calls reject. */
export class DyingDriver {
  readonly driver: StorageDriver;
  readonly #atCall: number;
  #calls = 0;

  constructor(storage: StorageDriver, { atCall, death }: { atCall: number; death: (typeof deaths)[number] }) {
    this.driver = new Proxy(storage, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "watch") return member.bind(target) as unknown;
        return async (...args: unknown[]) => {
          this.#calls += 1;
          const isLast = this.#calls === atCall;
          if (this.#calls < atCall || (isLast && death === "after it")) {
            const answer: unknown = await Reflect.apply(member, target, args);
            if (!isLast) return answer;
          }
          throw new Error("The process has crashed, as planned by the test.");
        };
      },
    });
    this.#atCall = atCall;
  }

  /** True once the planned call came. */
  get hasDied(): boolean {
    return this.#calls >= this.#atCall;
  }
}
