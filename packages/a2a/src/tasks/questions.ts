import { cutText } from "@troupe/core/kit";
import { TroupeError } from "@troupe/core";
import type { Json, RunWait } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { toContent } from "../wire/content.ts";
import { isObject, textOf } from "../agent/parts.ts";
import { readQuestion, takesMessage } from "../agent/question.ts";
import type { A2AMessage, A2APart } from "../wire/task.ts";

/** The answer to one question of a run. */
export type WaitAnswer = { readonly waitId: string; readonly answer: Json };

/** Replies that approve a tool call. Any other text denies the call, and the agent receives that text. */
const approvals: ReadonlySet<string> = new Set([
  "yes",
  "y",
  "ok",
  "okay",
  "approve",
  "approved",
  "confirm",
  "confirmed",
]);

/** Maximum characters of tool arguments in the text of a question. The question's data contains the whole arguments. */
const longestShown = 2000;

/** Returns the message with which a waiting task asks its client: text for people, and the questions as data. */
export function toQuestion({ runId, sessionId, waits: all = [] }: RunView): A2AMessage {
  const waits = all.filter(isQuestion);
  return {
    messageId: `${runId}:${waits[0]?.id ?? "wait"}`,
    role: "agent",
    taskId: runId,
    contextId: sessionId,
    parts: [
      { kind: "text", text: waits.map(toSentence).join("\n") },
      ...waits.flatMap((wait) => (readQuestion(wait) ?? []).filter(({ kind }) => kind !== "text")),
      ...waits.map((wait): A2APart => ({ kind: "data", data: toData(wait) })),
    ],
  };
}

/** Returns true if a wait takes an answer. A wait for an event takes a signal instead, and a sleep ends without one. */
export function isQuestion({ kind }: RunWait): boolean {
  return kind !== "event" && kind !== "sleep";
}

function toData(wait: RunWait): object {
  const { id, kind, about, until, toolCallId } = wait;
  return {
    waitId: id,
    kind,
    ...(!takesMessage(wait) && { about }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  };
}

function toSentence(wait: RunWait): string {
  const { kind, about } = wait;
  const question = readQuestion(wait);
  if (question !== undefined) return textOf(question);
  const { toolName, args, question: asked } = (about ?? {}) as Record<string, unknown>;
  if (kind === "question" && typeof asked === "string") return asked;
  const name = typeof toolName === "string" ? toolName : "a tool";
  const call = args === undefined ? name : `${name} with ${shown(args)}`;
  switch (kind) {
    case "approval":
      return `The agent asks for approval to call ${call}. Answer "yes", or say why not.`;
    case "input":
      return `The agent asks for the result of ${call}.`;
    case "doubt":
      return `It is unknown if the call of ${call} took place. Answer "again" or "giveUp", or with data: {"choice":"happened","result":…}.`;
    default:
      return 'This release of the service lacks something that the task needs. Answer "again" to try again, or "giveUp".';
  }
}

function shown(args: unknown): string {
  return cutText(JSON.stringify(args) ?? "", longestShown, "…");
}

/**
 * Reads the answers to the questions of a waiting task from a message. A data part with a `waitId` answers that
 * question; the rest of the message answers the first open question. Throws `invalid_request` for a message without an
 * answer, or with a `waitId` that is not a string.
 */
export function readAnswers(message: A2AMessage, waits: readonly RunWait[]): WaitAnswer[] {
  const answers: WaitAnswer[] = [];
  const rest: A2APart[] = [];
  for (const part of message.parts) {
    const named = part.kind === "data" ? readNamed(part.data) : undefined;
    if (named === undefined) rest.push(part);
    else answers.push(named);
  }
  const open = waits.filter(isQuestion).find(({ id }) => !answers.some(({ waitId }) => waitId === id));
  if (rest.length > 0 && open !== undefined)
    answers.push({ waitId: open.id, answer: toAnswer({ ...message, parts: rest }, open) });
  if (answers.length > 0) return answers;
  throw new TroupeError("invalid_request", "The task waits for an answer, and the message has none.");
}

function readNamed(data: unknown): WaitAnswer | undefined {
  if (!isObject(data) || !Object.hasOwn(data, "waitId")) return undefined;
  const { waitId, ...answer } = data;
  if (typeof waitId === "string") return { waitId, answer: answer as Json };
  throw new TroupeError("invalid_request", "waitId must be a string: the one of the question.");
}

function toAnswer({ taskId: _task, contextId: _context, ...message }: A2AMessage, wait: RunWait): Json {
  const { parts } = message;
  const { kind } = wait;
  if (takesMessage(wait)) return { result: message as unknown as Json };
  if (kind === "input" || kind === "question") return toResult(parts);
  const data = parts.find((part) => part.kind === "data");
  if (data !== undefined) return data.data as Json;
  const said = textOf(parts).trim();
  if (kind !== "approval") return { choice: said };
  const isApproved = approvals.has(said.toLowerCase().replace(/[.!]+$/, ""));
  return { approved: isApproved, ...(said !== "" && { reason: said }) };
}

/** Returns the result of a client-executed tool: data unchanged, text, or content parts if there are files. */
function toResult(parts: readonly A2APart[]): Json {
  const [only, ...more] = parts;
  if (only?.kind === "data" && more.length === 0)
    return isAnswer(only.data) ? only.data : { result: only.data as Json };
  if (parts.every((part) => part.kind === "text")) return { result: textOf(parts) };
  return { result: toContent({ parts }) as Json };
}

/** Returns true if data has the form of this service's own answers, and false if the data itself is the result. */
function isAnswer(data: unknown): data is { result: Json } | { error: string } {
  if (typeof data !== "object" || data === null) return false;
  const [name, ...more] = Object.keys(data);
  return more.length === 0 && (name === "result" || name === "error");
}
