import { longestTimerMs } from "../../base/errors/option-checks.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import type { RunEngine } from "./run-engine.ts";

/** Submits runs to an engine, immediately or after a pause. */
export class RunSubmission {
  readonly #engine: RunEngine;
  readonly #logger: Logger;
  readonly #pauses = new Set<NodeJS.Timeout>();
  #isOver = false;

  constructor(engine: RunEngine, logger: Logger) {
    this.#engine = engine;
    this.#logger = logger;
  }

  /** Submits a run. Never rejects: the sweep submits a run that the engine did not accept. */
  async submit({ runId, activation, priority, notBefore }: RunRecord): Promise<void> {
    const job = { runId, activation, priority, ...(notBefore !== undefined && { notBefore }) };
    await this.#engine.submit(job).catch((error: unknown) => {
      this.#logger.warn("The engine did not take a run. It is submitted again.", { runId, error });
    });
  }

  /** Submits a run again, immediately or after a pause that does not keep the process alive. */
  submitAgain(record: RunRecord, afterMs: number): void {
    if (afterMs <= 0) return void this.submit(record);
    // After a pause longer than a timer can be, the sweep submits the run.
    if (this.#isOver || afterMs > longestTimerMs) return;
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      void this.submit(record);
    }, afterMs).unref();
    this.#pauses.add(pause);
  }

  /** Ends all pauses. The sweep of another process submits these runs. */
  end(): void {
    this.#isOver = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    this.#pauses.clear();
  }
}
