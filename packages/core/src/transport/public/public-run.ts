import type { RunView } from "../../runs/record/run-view.ts";
import type { PublicError } from "../../base/errors/public-error.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import { noUsage } from "../../base/message/token-usage.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { RunError } from "../../agents/run/run-output.ts";
import type { CompleteRunOutput } from "../../agents/run/run-output.ts";

/** A question that a run waits for, in the form for clients. Answer it by its `waitId`. */
export type PublicWait = Omit<RunWait, "id" | "askedAt" | "argsSchema" | "seen"> & { waitId: string };

/** A stored run in the form for its owner. */
export type PublicRun = Omit<RunView, "waits" | "expiresAt" | "note" | "tags"> & { waits?: PublicWait[] };

/** Copies the declared fields of a question that a run waits for. */
export function toPublicWait({ id, kind, about, until, toolCallId }: RunWait): PublicWait {
  return {
    waitId: id,
    kind,
    about,
    ...(until !== undefined && { until }),
    ...(toolCallId !== undefined && { toolCallId }),
  };
}

const shownWhenPresent = ["node", "startedAt", "endedAt", "output", "error"] as const satisfies (keyof RunView)[];

/** Copies the declared fields of a run, so that no other fields are sent to clients. */
export function toPublicRun(run: RunView): PublicRun {
  const { runId, kind, name, sessionId, status, createdAt, attempts, waits } = run;
  const shown: PublicRun = { runId, kind, name, sessionId, status, createdAt, attempts };
  for (const field of shownWhenPresent) if (run[field] !== undefined) Object.assign(shown, { [field]: run[field] });
  if (waits !== undefined) shown.waits = waits.map(toPublicWait);
  return shown;
}

/** Makes the error of a failed run from its stored fields, for an answer with the run's id and usage. */
export function toStoredError({ code, message, ...fields }: PublicError, runId: string, stored: unknown): RunError {
  const { usage = noUsage } = (stored ?? {}) as { usage?: TokenUsage };
  return new RunError(code, message, { fields, output: { runId, usage } as CompleteRunOutput });
}
