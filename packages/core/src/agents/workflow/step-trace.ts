import { toPublicError } from "../../base/errors/public-error.ts";
import type { PublicError } from "../../base/errors/public-error.ts";
import { plainSteps } from "../run/run-steps.ts";
import type { RunSteps } from "../run/run-steps.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { walkSteps } from "./steps.ts";
import type { CheckedStep } from "./steps.ts";
import { TracedStep } from "./traced-step.ts";
import type { TracedTimes } from "./traced-step.ts";
import type { StepResult, StepStatus } from "./workflow-result.ts";

/** The entry of one step in a `StepTrace`: its start, its end, and the answer of an agent step. */
export class StepTraceEntry implements TracedTimes {
  /** The answer of an agent step. */
  output: unknown;
  /** True once the answer of an agent step has been streamed, in this or an earlier process. */
  isShown = false;
  storedMs: number | undefined;
  isLive = false;
  readonly name: string;
  /** The step among the steps of the run. */
  readonly step: TracedStep;
  readonly #startedAt = performance.now();
  #end: Pick<StepResult, "status" | "durationMs" | "error"> | undefined;

  constructor(name: string, steps: RunSteps = plainSteps) {
    this.name = name;
    this.step = new TracedStep(steps, this);
  }

  /** Milliseconds that the step has taken, including the stored work of earlier processes. */
  get durationMs(): number {
    if (this.storedMs === undefined) return elapsedMs(this.#startedAt);
    return this.isLive ? this.storedMs + elapsedMs(this.#startedAt) : this.storedMs;
  }

  /** Records and returns the end of the step. */
  end(status: StepStatus, thrown?: unknown): { status: StepStatus; durationMs: number } {
    const { durationMs } = this;
    const error: PublicError | undefined = status === "error" ? toPublicError(thrown) : undefined;
    this.#end = { status, durationMs, ...(error !== undefined && { error }) };
    return { status, durationMs };
  }

  /** Returns the result of the step. A step without an end was interrupted with its run and counts as cancelled. */
  toResult(): StepResult {
    const cutOff = { status: "cancelled" as const, durationMs: this.durationMs };
    return { name: this.name, ...(this.#end ?? cutOff), ...(this.output !== undefined && { output: this.output }) };
  }
}

/** The record of all steps started in one workflow run. The `steps` of the run's result are made from it. */
export class StepTrace {
  readonly #entries = new Map<string, StepTraceEntry>();

  /** Starts the entry of a step among the steps of the run. */
  start(name: string, steps: RunSteps = plainSteps): StepTraceEntry {
    const entry = new StepTraceEntry(name, steps);
    this.#entries.set(name, entry);
    return entry;
  }

  /** Returns true if the answer of an agent step has been streamed, in this or an earlier process. */
  isShown(name: string): boolean {
    return this.#entries.get(name)?.isShown === true;
  }

  /** Returns the results of the started steps, in the order of the configuration. */
  toResults(steps: readonly CheckedStep[]): StepResult[] {
    const started = [...walkSteps(steps)].map(({ name }) => this.#entries.get(name));
    return started.filter((entry) => entry !== undefined).map((entry) => entry.toResult());
  }
}
