import { toPublicError } from "../../base/errors/public-error.ts";
import type { PublicError } from "../../base/errors/public-error.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { isRepeated } from "./checked-step.ts";
import type { CheckedStep } from "./checked-step.ts";
import { topPlace } from "./step-place.ts";
import type { StepPlace } from "./step-place.ts";
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
  readonly place: StepPlace;
  /** The step as it is stored among the steps of a durable run. */
  readonly step: TracedStep;
  readonly #startedAt = performance.now();
  #end: Pick<StepResult, "status" | "durationMs" | "error"> | undefined;

  constructor(place: StepPlace | string) {
    this.place = typeof place === "string" ? topPlace(place) : place;
    this.step = new TracedStep(this.place.steps, this, this.place.key);
  }

  /** The step's name; in a repeated step its path. */
  get name(): string {
    return this.place.path;
  }

  /** Milliseconds that the step has taken, including stored work of earlier processes of a durable run. */
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

  /** Starts the entry of a step. */
  start(place: StepPlace | string): StepTraceEntry {
    const entry = new StepTraceEntry(place);
    this.#entries.set(entry.name, entry);
    return entry;
  }

  /** Returns true if the answer of an agent step has been streamed, in this or an earlier process. */
  isShown(name: string): boolean {
    return this.#entries.get(name)?.isShown === true;
  }

  /**
   * Returns the results of the started steps, in the order of the configuration. Rounds and items follow their step,
   * each before its own steps.
   */
  toResults(steps: readonly CheckedStep[]): StepResult[] {
    return [...this.#inOrder(steps, "")].map((entry) => entry.toResult());
  }

  *#inOrder(steps: readonly CheckedStep[], path: string): Generator<StepTraceEntry> {
    for (const step of steps) {
      const entry = this.#entries.get(path + step.name);
      if (entry !== undefined) yield entry;
      if (isRepeated(step)) yield* this.#repeated(step, path + step.name);
      else if ("steps" in step) yield* this.#inOrder(step.steps, path);
    }
  }

  *#repeated(step: CheckedStep, path: string): Generator<StepTraceEntry> {
    for (let number = 0; ; number++) {
      const entry = this.#entries.get(`${path}/${number}`);
      if (entry === undefined) return;
      yield entry;
      if ("steps" in step) yield* this.#inOrder(step.steps, `${path}/${number}/`);
    }
  }
}
