import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { NotedCall } from "../run/run-steps.ts";
import type { RunWait, StepQuestion, WaitKind } from "../run/run-wait.ts";
import type { Attempt } from "./attempt.ts";
import { toLogged } from "./log-entry.ts";

/**
 * Milliseconds after which other processes may take over a run. If the start of a tool call is stored within this time,
 * no other process performs the run.
 */
const freshMs = 300;
/**
 * The maximum number of times that the start of one tool call is logged. It is logged again if storing it took
 * `freshMs` or longer, because the process may have been paused. After the last time, the storage is considered slow.
 */
const mostStarts = 3;

/** Logs that the tool of a step is about to be called: see `Journal.call`. */
export async function logCall(attempt: Attempt, step: string, { args, ...call }: NotedCall): Promise<void> {
  const entry = { t: "call", step, ...call, args: toLogged(args) } as const;
  for (let starts = 0; starts < mostStarts; starts++) {
    const at = Date.now();
    await attempt.add({ ...entry, at });
    if (Date.now() - at < freshMs) return;
  }
}

/** Returns the answer to a step's wait, or logs the wait: see `Journal.wait`. */
export async function logWait(attempt: Attempt, step: string, request: StepQuestion): Promise<Json> {
  const id = waitIdOf(step, request.kind);
  const answer = attempt.answers.get(id);
  if (answer !== undefined) return answer;
  const wait = attempt.knownWait(id) ?? newWait(id, request);
  const signal = wait.kind === "event" ? attempt.signals.take(step, wait) : undefined;
  if (signal !== undefined) return { result: signal.data };
  if (wait.until !== undefined && wait.until <= Date.now()) return answerInTime(wait);
  return await attempt.wait(step, wait);
}

/** Returns the id of a step's wait for an answer of this kind. */
export function waitIdOf(step: string, kind: WaitKind): string {
  const place = step.replaceAll("/", ".");
  return kind === "approval" ? place : `${place}.${kind}`;
}

function newWait(id: string, request: StepQuestion): RunWait {
  const { about, argsSchema } = request;
  const schema = argsSchema === undefined ? {} : { argsSchema: toLogged(argsSchema) };
  return { id, ...request, about: toLogged(about), ...schema, askedAt: Date.now() };
}

function answerInTime({ kind }: RunWait): Json {
  if (kind === "approval") return { approved: false, reason: "Nobody answered in time." };
  if (kind === "sleep") return null;
  throw new TroupeError("timeout", kind === "event" ? "The event did not come in time." : "Nobody answered in time.");
}
