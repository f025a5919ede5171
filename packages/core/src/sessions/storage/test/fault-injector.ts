import type { StorageDriver } from "../storage-driver.ts";

/** Faults of one call. */
export const faults = [
  "fails before it did anything",
  "fails after it did everything",
  "hangs and does it later",
  "hangs and fails later",
  "answers with damage",
] as const;

export type Fault = (typeof faults)[number];

type Call = () => Promise<unknown>;
type Plan = { fault: Fault; atCall: number; onHang?: () => void };

/** Wraps a driver, and makes one of its calls fail. */
export class FaultInjector {
  readonly driver: StorageDriver;
  /** Names of the called methods in order; of lists with the number of entries. */
  readonly calls: string[] = [];
  #plan: Plan | undefined;
  #hasStruck = false;
  #unhang: (() => void) | undefined;

  constructor(driver: StorageDriver) {
    this.driver = new Proxy(driver, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "watch") return member.bind(target) as unknown;
        return (...args: unknown[]) =>
          this.#call(String(name), async () => Reflect.apply(member, target, args) as unknown);
      },
    });
  }

  /** Plans a fault. Calls are counted from now, from 1. */
  plan(plan: Plan): void {
    this.calls.length = 0;
    this.#plan = plan;
  }

  /** True once the planned call came. */
  get hasStruck(): boolean {
    return this.#hasStruck;
  }

  /** Lets a hanging call go on, and all later ones pass. */
  disarm(): void {
    this.#plan = undefined;
    this.#unhang?.();
  }

  async #call(name: string, call: Call): Promise<unknown> {
    const number = this.calls.push(name);
    const isDue = number === this.#plan?.atCall;
    const answer = this.#plan !== undefined && isDue ? await this.#strike(this.#plan, call) : await call();
    if (Array.isArray(answer)) this.calls[number - 1] = `${name} of ${answer.length}`;
    return answer;
  }

  async #strike({ fault, onHang }: Plan, call: Call): Promise<unknown> {
    this.#hasStruck = true;
    if (fault.startsWith("hangs")) await this.#hang(onHang);
    if (fault === "fails before it did anything" || fault === "hangs and fails later") throw new Error("planned");
    const answer = await call();
    if (fault === "fails after it did everything") throw new Error("planned");
    return fault === "answers with damage" ? damaged(answer) : answer;
  }

  #hang(onHang: (() => void) | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#unhang = resolve;
      onHang?.();
    });
  }
}

function damaged(answer: unknown): unknown {
  if (answer === undefined) return answer;
  return Array.isArray(answer)
    ? answer.map((entry: unknown) => (typeof entry === "object" ? { ...entry, value: { v: 1 } } : entry))
    : { v: 1 };
}
