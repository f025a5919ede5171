import { TroupeError } from "../../base/errors/troupe-error.ts";

/**
 * The way in which an attempt stops before the run's end. `suspended`: it waits for an answer. `overtaken`: another
 * attempt took over. `failed`: its log or session cannot be reached. `released`: its process handed the run back to the
 * queue.
 */
export type PauseReason = "suspended" | "overtaken" | "failed" | "released";

const messages: Readonly<Record<PauseReason, string>> = {
  suspended: "The run waits for an answer.",
  overtaken: "Another attempt at the run has taken over.",
  failed: "The storage of the run cannot be reached.",
  released: "The run goes on in another process.",
};

/**
 * The reason for which an attempt at a durable run stops without ending the run. It aborts the run's signal, and the
 * run's `output` rejects with it. No hook or event reports it.
 */
export class RunPaused extends TroupeError {
  readonly reason: PauseReason;

  constructor(reason: PauseReason, cause?: unknown) {
    super("interrupted", messages[reason], { cause });
    this.reason = reason;
  }
}
