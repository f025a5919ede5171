import type { Run } from "../run/run.ts";
import type { OpenStep, RunSteps, StepOptions } from "../run/run-steps.ts";
import { topPlace } from "./step-place.ts";

/** The entry of a step in the run's trace, reduced to the fields that its stored attempts change. */
export type TracedTimes = {
  readonly name: string;
  /** Milliseconds that the step has taken, including work that earlier processes of a durable run stored. */
  readonly durationMs: number;
  /** Milliseconds that earlier processes spent on work that this process does not repeat. */
  storedMs: number | undefined;
  /** True once the step did work that was not stored before. */
  isLive: boolean;
};

/** Options of one attempt at a workflow step. */
export type AttemptOptions<Value> = Omit<StepOptions<Value>, "place">;

/**
 * One workflow step among the steps of its run. Each attempt of the retry policy is a step of its own, so that no
 * attempt is repeated in a durable run.
 */
export class TracedStep {
  readonly #steps: RunSteps;
  readonly #entry: TracedTimes;
  readonly #key: string;

  constructor(steps: RunSteps, entry: TracedTimes, key = topPlace(entry.name).key) {
    this.#steps = steps;
    this.#entry = entry;
    this.#key = key;
  }

  /** True if the run is durable. */
  get isDurable(): boolean {
    return this.#steps.durable !== undefined;
  }

  /**
   * Counts the stored attempts at the step that failed and were followed by another attempt. Adds their usage and time,
   * calls `onRepeat` for each except the first, and returns their number.
   */
  async repeatedFailures(run: Run, onRepeat: () => Promise<void> | undefined): Promise<number> {
    for (let made = 0; ; made++) {
      const end = this.#steps.endOf(this.#keyOf(made));
      if (end === undefined || !end.isRepeated) return made;
      if (end.usage !== undefined) run.meter.add(end.usage);
      this.#addStored(end.ms);
      if (made > 0) await onRepeat();
    }
  }

  /** Makes an attempt at the step, or returns its stored result or error. `made`: the number of attempts before it. */
  async attempt<Value>(
    made: number,
    work: (step?: OpenStep) => Promise<Value>,
    options: AttemptOptions<Value>,
  ): Promise<Value> {
    const key = this.#keyOf(made);
    const end = this.#steps.endOf(key);
    if (end === undefined) this.#entry.isLive = true;
    else this.#addStored(end.ms);
    const place = `The step ${JSON.stringify(this.#entry.name)}`;
    return await this.#steps.step(key, "function", work, { ...options, place });
  }

  /** Returns the steps of the child runs of an attempt at the step. */
  partOf(made: number): RunSteps {
    return this.#steps.part(this.#keyOf(made));
  }

  /** Stores the duration of a step with nested steps, or adopts the duration that is stored already. */
  async end(): Promise<void> {
    const { durationMs } = this.#entry;
    const measure = () => {
      this.#entry.isLive = true;
      return { value: durationMs };
    };
    const replay = (stored: unknown) => {
      const end = stored as { value: number };
      this.#entry.storedMs = end.value;
      return end;
    };
    if (this.isDurable) await this.#steps.step(`${this.#key}/end`, "turn", measure, { replay });
  }

  #addStored(ms: number): void {
    this.#entry.storedMs = (this.#entry.storedMs ?? 0) + ms;
  }

  #keyOf(made: number): string {
    return made === 0 ? this.#key : `${this.#key}/r${made}`;
  }
}
