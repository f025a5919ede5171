import { isEnded } from "../run-store/run-record.ts";
import type { Running, RunRecord } from "../run-store/run-record.ts";
import type { RunStore } from "../run-store/run-store.ts";

/** Milliseconds after which the record of a run says that it is performed. Shorter runs have that written with their end. */
const noteAfterMs = 100;

/** The note that a run is performed: at once for its readers in this process, and a little later in its record. */
export class RunningNote {
  readonly fields: Running;
  readonly #store: RunStore;
  readonly #record: RunRecord;
  readonly #timer: NodeJS.Timeout;
  #written: Promise<RunRecord | null> | undefined;

  constructor(store: RunStore, record: RunRecord, fields: Running) {
    this.#store = store;
    this.#record = record;
    this.fields = fields;
    store.running.set(record.runId, fields);
    this.#timer = setTimeout(() => void this.write().catch(() => undefined), noteAfterMs).unref();
  }

  /** Writes the note to the record, unless it is there. Returns the record with it, `null` where a later attempt was first. */
  write(): Promise<RunRecord | null> {
    clearTimeout(this.#timer);
    const { runId } = this.#record;
    const change = ({ waits: _waits, ...record }: RunRecord): RunRecord | null => {
      const isPast = isEnded(record.status) || record.attempts >= this.fields.attempts;
      return isPast ? null : { ...record, status: "running", ...this.fields };
    };
    return (this.#written ??= this.#store.change(runId, change, this.#record));
  }

  /** Returns the record as this attempt knows it, with the note if that was written. It is not written after this. */
  async known(): Promise<RunRecord> {
    clearTimeout(this.#timer);
    return (await this.#written) ?? this.#record;
  }

  /** Takes the note back from the readers in this process. */
  close(): void {
    clearTimeout(this.#timer);
    this.#store.running.delete(this.#record.runId);
  }
}
