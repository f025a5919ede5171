import type { Json } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import type { PublicError, PublicOutput } from "@troupe/core/transport";
import { joinPieces, responseId, sourcesId, toPieces } from "../agent/artifact.ts";
import { readReply } from "../agent/reply.ts";
import type { ShownReply } from "../agent/reply.ts";
import { toText } from "../agent/parts.ts";
import { stateOfFailure } from "../wire/a2a-error.ts";
import type { A2AArtifact, A2AMessage, A2APart, A2AStatus, A2ATask } from "../wire/task.ts";
import { isQuestion, toQuestion } from "./questions.ts";
import { readHistory } from "./task-history.ts";

/**
 * The form in which a client sees tasks. `repeatsAnswer`: the status of a completed task repeats the answer as its
 * message.
 */
export type TaskForm = { readonly repeatsAnswer: boolean };

/** Returns the A2A task that shows a run. */
export function toTask(run: RunView, form: TaskForm): A2ATask {
  const metadata = toMetadata(run.output);
  return {
    id: run.runId,
    contextId: run.sessionId,
    status: toStatus(run, form),
    artifacts: toArtifacts(run),
    history: readHistory(run),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Returns the status of the task of a run. */
export function toStatus(run: RunView, form: TaskForm): A2AStatus {
  const { status, error, createdAt, startedAt = createdAt, endedAt = startedAt } = run;
  switch (status) {
    case "queued":
      // A run that was answered has worked before, so it is not `submitted`.
      return run.attempts === 0 ? { state: "submitted", at: createdAt } : { state: "working", at: startedAt };
    case "running":
      return { state: "working", at: startedAt };
    case "waiting":
      // A run that waits for an event or a time does not need its client.
      if (!asksClient(run)) return { state: "working", at: startedAt };
      return { state: "input-required", at: askedAtOf(run) ?? startedAt, message: toQuestion(run) };
    default:
      return error === undefined ? toCompleted(run, endedAt, form) : toFailed(run, endedAt, error);
  }
}

function asksClient({ waits = [] }: RunView): boolean {
  return waits.length === 0 || waits.some(isQuestion);
}

function askedAtOf({ waits = [] }: RunView): number | undefined {
  const times = waits.flatMap(({ askedAt }) => askedAt ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

function toCompleted(run: RunView, at: number, { repeatsAnswer }: TaskForm): A2AStatus {
  const reply = replyOf(run.output);
  const state = reply?.kind === "rejected" ? "rejected" : "completed";
  const parts = reply?.parts ?? (repeatsAnswer ? toAnswerParts(run.output) : []);
  return { state, at, ...(parts.length > 0 && { message: messageOf(run, parts) }) };
}

/** Returns the message with which an agent answered instead of a task; undefined if it made a task. */
export function toMessage(run: RunView): A2AMessage | undefined {
  const reply = run.status === "completed" ? replyOf(run.output) : undefined;
  if (reply?.kind !== "message") return undefined;
  const { taskId: _, ...message } = messageOf(run, reply.parts);
  return message;
}

function replyOf(output: Json | undefined): ShownReply | undefined {
  return readReply(readOutput(output).artifacts ?? []);
}

function toFailed(run: RunView, at: number, { code, message: text }: PublicError): A2AStatus {
  const message = { ...messageOf(run, [{ kind: "text", text }]), metadata: { code } };
  return { state: stateOfFailure(code), at, message };
}

function messageOf({ runId, sessionId }: RunView, parts: readonly A2APart[]): A2AMessage {
  return { messageId: `${runId}:end`, role: "agent", taskId: runId, contextId: sessionId, parts };
}

/** The parts of a run's output that a task shows. */
type ShownOutput = Partial<
  Pick<PublicOutput, "text" | "structured" | "sources" | "artifacts" | "usage" | "durationMs" | "model">
>;

/**
 * Returns the artifacts for the task of a finished run: its answer with its sources, and the artifacts of its tools.
 */
export function toArtifacts({ output, error }: Pick<RunView, "output" | "error">): A2AArtifact[] {
  // The answer of a rejected task is not shown, because it is the text that the guardrail blocked.
  if (error?.code === "guardrail_blocked") return [];
  const parts = isReplacedBy(replyOf(output), output) ? [] : toAnswerParts(output);
  const { artifacts = [], sources = [] } = readOutput(output);
  const cited: A2APart = { kind: "data", data: { sources }, mediaType: "application/json" };
  return [
    ...(parts.length > 0 ? [{ artifactId: responseId, name: responseId, parts }] : []),
    ...(parts.length > 0 && sources.length > 0 ? [{ artifactId: sourcesId, name: sourcesId, parts: [cited] }] : []),
    ...joinPieces(toPieces(artifacts)),
  ];
}

/**
 * Returns true if an agent's reply replaces the answer of its run. A rejection or a message always does; a completed
 * task does if the answer is only the reply's text.
 */
function isReplacedBy(reply: ShownReply | undefined, output: Json | undefined): boolean {
  if (reply?.kind !== "completed") return reply !== undefined;
  return readOutput(output).text === toText(reply.parts);
}

/** Returns the answer in a run's output as parts: its text, and its structured value as data. */
function toAnswerParts(output: Json | undefined): A2APart[] {
  const { text = "", structured = null } = readOutput(output);
  return [
    ...(text === "" ? [] : [{ kind: "text" as const, text }]),
    ...(structured === null ? [] : [{ kind: "data" as const, data: structured, mediaType: "application/json" }]),
  ];
}

/** Returns the metadata for the task of a finished run: usage, duration and model. */
export function toMetadata(output: Json | undefined): A2ATask["metadata"] {
  const { usage, durationMs, model } = readOutput(output);
  if (usage === undefined) return undefined;
  return { usage, ...(durationMs !== undefined && { durationMs }), ...(model !== undefined && { model }) };
}

function readOutput(output: Json | undefined): ShownOutput {
  return typeof output === "object" && output !== null ? (output as unknown as ShownOutput) : {};
}
