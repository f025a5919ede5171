import type { ContinuedTelemetry } from "../../base/telemetry/telemetry.ts";
import { isEnded } from "../record/run-record.ts";
import type { Running, RunRecord } from "../record/run-record.ts";
import type { RunStore } from "../record/run-store.ts";

/**
 * Milliseconds after which a run's record shows that it is running. The record of a run that ends earlier never shows
 * that it was running.
 */
const noteAfterMs = 100;

/**
 * The note that a run is running. Readers in this process see the note immediately; the run's record shows it a little
 * later.
 */
export class RunningNote {
  readonly fields: Running;
  readonly #store: RunStore;
  readonly #record: RunRecord;
  readonly #timer: NodeJS.Timeout;
  readonly #telemetry: ContinuedTelemetry | undefined;
  #written: Promise<RunRecord | null> | undefined;

  /** @param telemetry records the attempt; the attempt's trace context becomes part of the note */
  // oxlint-disable-next-line max-params -- the last is missing for most runs
  constructor(store: RunStore, record: RunRecord, fields: Running, telemetry?: ContinuedTelemetry) {
    this.#store = store;
    this.#record = record;
    this.fields = fields;
    this.#telemetry = telemetry;
    store.running.set(record.runId, fields);
    this.#timer = setTimeout(() => void this.write().catch(() => undefined), noteAfterMs).unref();
  }

  /**
   * Writes the note to the run's record, unless it was written. Returns the updated record; `null` if the run is over
   * or another attempt wrote its note first.
   */
  write(): Promise<RunRecord | null> {
    clearTimeout(this.#timer);
    const { runId } = this.#record;
    const change = ({ waits: _waits, ...record }: RunRecord): RunRecord | null => {
      // A run that another attempt has suspended meanwhile is no longer among the open runs: its record must not show
      // that it is performed, or nothing would continue it if this process ended.
      const isSuspended = record.status === "waiting" && this.#record.status !== "waiting";
      const isPast = isEnded(record.status) || isSuspended || record.attempts >= this.fields.attempts;
      if (isPast) return null;
      const attemptTrace = this.#telemetry?.begun;
      return { ...record, status: "running", ...this.fields, ...(attemptTrace !== undefined && { attemptTrace }) };
    };
    return (this.#written ??= this.#store.noteRunning(runId, change, this.#record));
  }

  /**
   * Returns the record as this attempt last saw it, including the note if it was written. If the note was not written
   * by then, it is never written.
   */
  async known(): Promise<RunRecord> {
    clearTimeout(this.#timer);
    return (await this.#written) ?? this.#record;
  }

  /** Removes the note for readers in this process. */
  close(): void {
    clearTimeout(this.#timer);
    this.#store.running.delete(this.#record.runId);
  }
}
