import { endOfStep, isRepeatedFailure, runJournalStep, storedValue } from "../run/journal-step.ts";
import type { JournalStep } from "../run/journal-step.ts";
import type { Journal } from "../journal/journal.ts";
import type { Run } from "../run/run.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";

/** The work of one attempt at a workflow step: a journal step without the fields that `StepJournal` adds. */
export type AttemptWork<Value> = Omit<JournalStep<Value>, "journal" | "key" | "place">;

/** The entry of a step in the run's trace, reduced to the fields that the step's journal reads and changes. */
export type TracedStep = {
  readonly name: string;
  /** Milliseconds that the step has taken, including the stored work of earlier attempts at the run. */
  readonly durationMs: number;
  /** Milliseconds that earlier attempts at the run spent on work that this attempt does not repeat. */
  storedMs: number | undefined;
  /** True once the step did work that was not stored before. */
  isLive: boolean;
};

/**
 * The journal of one workflow step in a durable run. Each attempt of the retry policy is a journal step of its own, so
 * that no attempt is repeated.
 */
export class StepJournal {
  readonly #journal: Journal;
  readonly #key: string;
  readonly #entry: TracedStep;

  constructor(journal: Journal, entry: TracedStep) {
    this.#journal = journal;
    // A point in the step's key would make the ids of waits ambiguous.
    this.#key = `w/${encodeKey(entry.name).replaceAll(".", "%2E")}`;
    this.#entry = entry;
  }

  /**
   * Counts the failed attempts at the step that were followed by another attempt, in an earlier attempt at the run.
   * Adds their usage and time, calls `onRepeat` for each except the first, and returns their number.
   */
  async repeatedFailures(run: Run, onRepeat: () => Promise<void> | undefined): Promise<number> {
    for (let made = 0; ; made++) {
      const stored = endOfStep(this.#journal, this.#keyOf(made));
      if (stored === undefined || !isRepeatedFailure(stored)) return made;
      if (stored.usage !== undefined) run.meter.add(stored.usage);
      this.#entry.storedMs = (this.#entry.storedMs ?? 0) + stored.ms;
      if (made > 0) await onRepeat();
    }
  }

  /** Makes an attempt at the step, or returns its stored result or error. `made`: the number of attempts before it. */
  async attempt<Value>(made: number, work: AttemptWork<Value>): Promise<Value> {
    const [journal, key] = [this.#journal, this.#keyOf(made)];
    const stored = endOfStep(journal, key);
    if (stored === undefined) this.#entry.isLive = true;
    else this.#entry.storedMs = (this.#entry.storedMs ?? 0) + stored.ms;
    return await runJournalStep({ ...work, journal, key, place: `The step ${JSON.stringify(this.#entry.name)}` });
  }

  /** Returns the journal for the child runs of an attempt at the step. */
  within(made: number): Journal {
    return this.#journal.within(this.#keyOf(made));
  }

  /**
   * Stores the duration of a step with nested steps, or takes the duration that an earlier attempt at the run stored.
   */
  end(): void {
    const key = `${this.#key}/end`;
    const stored = this.#journal.stored(key);
    if (stored !== undefined) {
      this.#entry.storedMs = Number(storedValue(stored));
      return;
    }
    this.#entry.isLive = true;
    this.#journal.begin(key).done({ value: this.#entry.durationMs });
  }

  #keyOf(made: number): string {
    return made === 0 ? this.#key : `${this.#key}/r${made}`;
  }
}
