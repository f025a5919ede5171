import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Answer, Failure, Order } from "./runner.ts";

type Started = { readonly child: ChildProcess; readonly tests: readonly string[] };

/** A process that runs tests. It is started on first use, and again after one of its tests did not end. */
export class RunnerProcess {
  readonly #args: readonly string[];
  #started: Promise<Started> | undefined;

  /** Takes the folder for the records, for a runner that records reached functions. */
  constructor(...args: readonly string[]) {
    this.#args = args;
  }

  /** Returns the paths of all tests. */
  async tests(): Promise<readonly string[]> {
    return (await (this.#started ??= this.#start())).tests;
  }

  /** Returns the failures. `undefined` if there was no answer in time, or the process died. */
  async run(order: Order, limitMs: number): Promise<readonly Failure[] | undefined> {
    const { child } = await (this.#started ??= this.#start());
    child.send(order);
    const answer = await answerOf(child, limitMs);
    const failures = answer !== undefined && "failures" in answer ? answer.failures : undefined;
    // State that such a test leaves behind, such as fake timers, stays in its worker and would block the next tests.
    if (failures?.some(({ isTimeout }) => isTimeout) !== false) await this.close();
    return failures;
  }

  /** Ends the process with its workers, one of which may be in an endless loop. */
  async close(): Promise<void> {
    const child = (await this.#started)?.child;
    this.#started = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, "SIGKILL");
    await once(child, "exit");
  }

  async #start(): Promise<Started> {
    const child = fork(join(import.meta.dirname, "runner.ts"), this.#args, {
      execArgv: ["--conditions=@troupe/source"],
      // The output of tests, and the warnings about hanging ones, do not concern the mutation.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // A process group of its own, so that its workers end with it.
      detached: true,
    });
    const answer = await answerOf(child, 120_000);
    if (answer !== undefined && "tests" in answer) return { child, tests: answer.tests };
    throw new Error("The runner of tests did not start. Run tools/mutate/runner.ts by itself to see why.");
  }
}

/** Returns the next message of a process. `undefined` if the process ends first, or sends no message in time. */
async function answerOf(child: ChildProcess, limitMs: number): Promise<Answer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
  const giveUp = (): void => resolve(undefined);
  const timer = setTimeout(giveUp, limitMs);
  child.once("message", resolve).once("exit", giveUp);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.off("message", resolve).off("exit", giveUp);
  }
}
