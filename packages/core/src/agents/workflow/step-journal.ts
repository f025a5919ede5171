import { endOfStep, isRepeatedFailure, runJournalStep, storedValue } from "../run/journal-step.ts";
import type { JournalStep } from "../run/journal-step.ts";
import type { Journal } from "../journal/journal.ts";
import type { Run } from "../run/run.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";

/** The work of one attempt at a workflow step, as a journal step without what `StepJournal` knows itself. */
export type AttemptWork<Value> = Omit<JournalStep<Value>, "journal" | "key" | "place">;

/** The entry of a step in the trace of the run, as far as its journal reads and changes it. */
export type TracedStep = {
  readonly name: string;
  /** Milliseconds until now. */
  readonly durationMs: number;
  /** Milliseconds that earlier attempts at the run took for what this one does not do again. */
  storedMs: number | undefined;
  /** True once the step did something that was not stored. */
  isLive: boolean;
};

/**
 * The journal of one workflow step in a durable run. Each attempt that the retry policy makes at the step is a journal step
 * of its own, so that none is made again.
 */
export class StepJournal {
  readonly #journal: Journal;
  readonly #key: string;
  readonly #entry: TracedStep;

  constructor(journal: Journal, entry: TracedStep) {
    this.#journal = journal;
    // A point would make the ids of waits ambiguous.
    this.#key = `w/${encodeKey(entry.name).replaceAll(".", "%2E")}`;
    this.#entry = entry;
  }

  /**
   * Takes note of the attempts that failed and were followed by another one, in an earlier attempt at the run: counts their
   * usage, and calls `onRepeat` for each but the last. Returns their number.
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

  /** Makes an attempt at the step, unless its result is stored. `made`: the number of attempts before it. */
  async attempt<Value>(made: number, work: AttemptWork<Value>): Promise<Value> {
    const [journal, key] = [this.#journal, this.#keyOf(made)];
    const stored = endOfStep(journal, key);
    if (stored === undefined) this.#entry.isLive = true;
    else this.#entry.storedMs = (this.#entry.storedMs ?? 0) + stored.ms;
    return await runJournalStep({ ...work, journal, key, place: `The step ${JSON.stringify(this.#entry.name)}` });
  }

  /** Returns the journal for the child runs of an attempt. */
  within(made: number): Journal {
    return this.#journal.within(this.#keyOf(made));
  }

  /** Stores how long a step with steps in it took, or takes that from an earlier attempt at the run. */
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
