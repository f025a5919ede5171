import type { StorageDriver } from "@troupe/core";
import { connect } from "./connect.ts";

/** The writes that a crash is counted by: inserts into the run log, or all. */
export type Counted = "inserts" | "writes";

/** The moment of a crash: the k-th of the counted writes is not made any more, or its answer does not arrive any more. */
export type Crash = { readonly of: Counted; readonly at: number; readonly death: "before" | "after" };

type StorageCall = { readonly name: string; readonly args: readonly unknown[] };

/**
 * One process of a service, as far as its storage, its models and its tools are concerned. It dies as planned: from then on
 * nothing that it does reaches the storage or the world, and nothing answers it.
 */
export class DyingProcess {
  readonly storage: StorageDriver;
  /** Resolves when the process dies. */
  readonly died: Promise<void>;
  /** The writes so far. */
  readonly counts: Record<Counted, number> = { inserts: 0, writes: 0 };
  isDead = false;
  readonly #crash: Crash | undefined;
  readonly #die: () => void;
  /** The result of all that a dead process would still do: none, until it is buried. */
  readonly #gone = Promise.withResolvers<never>();

  constructor(driver: StorageDriver, crash?: Crash) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.died = promise;
    this.#die = resolve;
    this.#crash = crash;
    this.#gone.promise.catch(() => {});
    this.storage = connect(driver, async (name, args, make) => await this.#pass({ name, args }, make));
  }

  /** Lets a model or a tool go on while the process lives. */
  async goOn(): Promise<void> {
    if (this.isDead) await this.#gone.promise;
  }

  /** Resolves with a call's result, and with undefined when the process dies first. */
  async unlessDead<Result>(call: Promise<Result>): Promise<Result | undefined> {
    call.catch(() => {});
    return await Promise.race([call, this.died.then(() => undefined)]);
  }

  /** Ends the process now. */
  kill(): void {
    this.isDead = true;
    this.#die();
  }

  /** Lets the calls of a dead process fail, so that the objects in it can be closed once a play is over. */
  bury(): void {
    this.kill();
    this.#gone.reject(new Error("The process has died."));
  }

  /** Counts a call, and tells if it is the one of the crash. */
  #count(call: StorageCall): boolean {
    if (isLogInsert(call)) this.counts.inserts += 1;
    else if (reads.includes(call.name)) return false;
    this.counts.writes += 1;
    const { of, at } = this.#crash ?? { of: "writes", at: 0 };
    return (of === "writes" || isLogInsert(call)) && this.counts[of] === at;
  }

  async #pass(call: StorageCall, make: () => Promise<unknown>): Promise<unknown> {
    await this.goOn();
    const isLast = this.#count(call);
    if (isLast && this.#crash?.death === "before") this.kill();
    await this.goOn();
    try {
      return await make();
    } finally {
      if (isLast) this.kill();
      await this.goOn();
    }
  }
}

const reads: readonly string[] = ["get", "list", "ping", "close"];

function isLogInsert({ name, args }: StorageCall): boolean {
  const [first, , expected] = args;
  if (name === "compareAndSet") return first === "run-log" && expected === null;
  return name === "insertAll" && (first as { namespace: string }[]).some(({ namespace }) => namespace === "run-log");
}
