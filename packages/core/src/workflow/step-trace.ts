import { toPublicError } from "../errors/public-error.ts";
import type { PublicError } from "../errors/public-error.ts";
import { elapsedMs } from "../util/elapsed-ms.ts";
import { walkSteps } from "./steps.ts";
import type { CheckedStep } from "./steps.ts";
import type { StepResult, StepStatus } from "./workflow-result.ts";

/** The entry of one step in a `StepTrace`: its start, its end, and the answer of an agent step. */
export class StepTraceEntry {
  /** The answer of an agent step. */
  output: unknown;
  readonly #name: string;
  readonly #startedAt = performance.now();
  #end: Pick<StepResult, "status" | "durationMs" | "error"> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Records the end of the step, and returns it. */
  end(status: StepStatus, thrown?: unknown): { status: StepStatus; durationMs: number } {
    const durationMs = elapsedMs(this.#startedAt);
    const error: PublicError | undefined = status === "error" ? toPublicError(thrown) : undefined;
    this.#end = { status, durationMs, ...(error !== undefined && { error }) };
    return { status, durationMs };
  }

  /** Returns the result of the step. A step without an end was cut off with its run: it counts as cancelled. */
  toResult(): StepResult {
    const cutOff = { status: "cancelled" as const, durationMs: elapsedMs(this.#startedAt) };
    return { name: this.#name, ...(this.#end ?? cutOff), ...(this.output !== undefined && { output: this.output }) };
  }
}

/** The record of all steps started in one run of a workflow, from which the `steps` of its result are made. */
export class StepTrace {
  readonly #entries = new Map<string, StepTraceEntry>();

  start(name: string): StepTraceEntry {
    const entry = new StepTraceEntry(name);
    this.#entries.set(name, entry);
    return entry;
  }

  /** Returns the results of the steps that were started, in the order in which they are written. */
  toResults(steps: readonly CheckedStep[]): StepResult[] {
    const started = [...walkSteps(steps)].map(({ name }) => this.#entries.get(name));
    return started.filter((entry) => entry !== undefined).map((entry) => entry.toResult());
  }
}
