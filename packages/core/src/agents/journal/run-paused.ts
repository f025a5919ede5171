import { TroupeError } from "../../base/errors/troupe-error.ts";

/**
 * The way in which an attempt stops before the run's end: it waits for an answer (`suspended`), another attempt has taken
 * over (`overtaken`), its log or its session cannot be reached (`failed`), or its process hands the run back (`released`).
 */
export type PauseReason = "suspended" | "overtaken" | "failed" | "released";

const messages: Readonly<Record<PauseReason, string>> = {
  suspended: "The run waits for an answer.",
  overtaken: "Another attempt at the run has taken over.",
  failed: "The storage of the run cannot be reached.",
  released: "The run goes on in another process.",
};

/**
 * The reason with which an attempt at a durable run stops without ending the run. It aborts the signal of the run and is what
 * its `output` rejects with; nothing else sees it.
 */
export class RunPaused extends TroupeError {
  readonly reason: PauseReason;

  constructor(reason: PauseReason, cause?: unknown) {
    super("interrupted", messages[reason], { cause });
    this.reason = reason;
  }
}
