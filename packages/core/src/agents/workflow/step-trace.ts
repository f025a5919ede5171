import { toPublicError } from "../../base/errors/public-error.ts";
import type { PublicError } from "../../base/errors/public-error.ts";
import type { Journal } from "../journal/journal.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { StepJournal } from "./step-journal.ts";
import type { TracedStep } from "./step-journal.ts";
import { walkSteps } from "./steps.ts";
import type { CheckedStep } from "./steps.ts";
import type { StepResult, StepStatus } from "./workflow-result.ts";

/** The entry of one step in a `StepTrace`: its start, its end, and the answer of an agent step. */
export class StepTraceEntry implements TracedStep {
  /** The answer of an agent step. */
  output: unknown;
  /** True once the answer of an agent step has been streamed, in this attempt at a durable run or before it. */
  isShown = false;
  storedMs: number | undefined;
  isLive = false;
  readonly name: string;
  /** The journal of the step in a durable run. */
  readonly journal: StepJournal | undefined;
  readonly #startedAt = performance.now();
  #end: Pick<StepResult, "status" | "durationMs" | "error"> | undefined;

  constructor(name: string, journal?: Journal) {
    this.name = name;
    this.journal = journal && new StepJournal(journal, this);
  }

  /** Milliseconds until now. */
  get durationMs(): number {
    if (this.storedMs === undefined) return elapsedMs(this.#startedAt);
    return this.isLive ? this.storedMs + elapsedMs(this.#startedAt) : this.storedMs;
  }

  /** Records the end of the step, and returns it. */
  end(status: StepStatus, thrown?: unknown): { status: StepStatus; durationMs: number } {
    const { durationMs } = this;
    const error: PublicError | undefined = status === "error" ? toPublicError(thrown) : undefined;
    this.#end = { status, durationMs, ...(error !== undefined && { error }) };
    return { status, durationMs };
  }

  /** Returns the result of the step. A step without an end was cut off with its run: it counts as cancelled. */
  toResult(): StepResult {
    const cutOff = { status: "cancelled" as const, durationMs: this.durationMs };
    return { name: this.name, ...(this.#end ?? cutOff), ...(this.output !== undefined && { output: this.output }) };
  }
}

/** The record of all steps started in one run of a workflow, from which the `steps` of its result are made. */
export class StepTrace {
  readonly #entries = new Map<string, StepTraceEntry>();

  /** @param journal the journal of the durable run */
  start(name: string, journal?: Journal): StepTraceEntry {
    const entry = new StepTraceEntry(name, journal);
    this.#entries.set(name, entry);
    return entry;
  }

  /** Tells if the answer of the step has been streamed. */
  isShown(name: string): boolean {
    return this.#entries.get(name)?.isShown === true;
  }

  /** Returns the results of the steps that were started, in the order in which they are written. */
  toResults(steps: readonly CheckedStep[]): StepResult[] {
    const started = [...walkSteps(steps)].map(({ name }) => this.#entries.get(name));
    return started.filter((entry) => entry !== undefined).map((entry) => entry.toResult());
  }
}
