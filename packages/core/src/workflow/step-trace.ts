import { toPublicError } from "../errors/public-error.ts";
import type { PublicError } from "../errors/public-error.ts";
import { everyStep } from "./step.ts";
import type { Step } from "./step.ts";
import type { StepResult, StepStatus } from "./workflow-result.ts";

/** The account of one step, from its begin to its end. */
export class StepEntry {
  readonly #name: string;
  readonly #startedAt = performance.now();
  #end: Pick<StepResult, "status" | "durationMs" | "error"> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Notes how the step ended, and says so. */
  end(status: StepStatus, thrown?: unknown): { status: StepStatus; durationMs: number } {
    const durationMs = performance.now() - this.#startedAt;
    const error: PublicError | undefined = status === "error" ? toPublicError(thrown) : undefined;
    this.#end = { status, durationMs, ...(error !== undefined && { error }) };
    return { status, durationMs };
  }

  /** The step as it is now: one that still runs when it is asked about is one that was cut off. */
  toResult(): StepResult {
    const cutOff = { status: "cancelled" as const, durationMs: performance.now() - this.#startedAt };
    return { name: this.#name, ...(this.#end ?? cutOff) };
  }
}

/** What becomes of the steps of one run. */
export class StepTrace {
  readonly #entries = new Map<string, StepEntry>();

  begin(name: string): StepEntry {
    const entry = new StepEntry(name);
    this.#entries.set(name, entry);
    return entry;
  }

  /** Those of the steps that were begun, in the order in which they are written. */
  toResults(steps: readonly Step[]): StepResult[] {
    const begun = [...everyStep(steps)].map(({ name }) => this.#entries.get(name));
    return begun.filter((entry) => entry !== undefined).map((entry) => entry.toResult());
  }
}
