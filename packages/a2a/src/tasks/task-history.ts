import { cutText } from "@troupe/core/kit";
import type { Json } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import type { A2AMessage, A2APart } from "../wire/task.ts";

/** A message of a task as the note of its run keeps it. Its task and context are those of the run. */
type KeptMessage = Omit<A2AMessage, "taskId" | "contextId">;

/** The characters of one message, and of all messages of a task, that are kept as JSON. */
const longestMessage = 65_536;
const longestHistory = 196_608;

/** Characters of base64 that a message in the history has: longer files are left out, with their length. */
const longestBase64 = 4096;

/** Returns the note of a run that a message begins. */
export function noteOf(message: A2AMessage): Json {
  return toNote([toKept(message)]);
}

/** Returns the note of a run after more messages. The oldest go first when there are too many. */
export function noteWith(note: Json | undefined, messages: readonly A2AMessage[]): Json {
  const kept = [...readNote(note), ...messages.map(toKept)];
  const lengths = kept.map((message) => JSON.stringify(message).length);
  let length = lengths.reduce((sum, each) => sum + each, 0);
  let first = 0;
  for (; length > longestHistory; first++) length -= lengths[first] ?? 0;
  return toNote(kept.slice(first));
}

/** Returns the messages of a task that its run keeps, in order of time. A run that no message began has none. */
export function readHistory({ runId, sessionId, note }: Pick<RunView, "runId" | "sessionId" | "note">): A2AMessage[] {
  return readNote(note).map((message) => ({ ...message, taskId: runId, contextId: sessionId }));
}

function toNote(messages: readonly KeptMessage[]): Json {
  return { a2a: messages as unknown as Json };
}

function readNote(note: Json | undefined): readonly KeptMessage[] {
  if (typeof note !== "object" || note === null || Array.isArray(note)) return [];
  const { a2a } = note as { readonly a2a?: Json };
  // The service itself has written it.
  return Array.isArray(a2a) ? (a2a as KeptMessage[]) : [];
}

function toKept({ taskId: _task, contextId: _context, ...message }: A2AMessage): KeptMessage {
  const kept = { ...message, parts: message.parts.map(withoutBytes) };
  if (JSON.stringify(kept).length <= longestMessage) return kept;
  const { messageId, role } = message;
  return { messageId, role, parts: cutParts(kept.parts), metadata: { isCut: true } };
}

/** Leaves out the bytes of a file: the agent has had them, and the history would hold them for as long as the task is kept. */
function withoutBytes(part: A2APart): A2APart {
  if (part.kind !== "bytes" || part.base64.length <= longestBase64) return part;
  const sizeInBytes = Math.floor((part.base64.replace(/=+$/, "").length * 3) / 4);
  return { ...part, base64: "", metadata: { ...part.metadata, leftOut: { sizeInBytes } } };
}

/** Returns the beginning of the text of a message that is too long to be kept. */
function cutParts(parts: readonly A2APart[]): A2APart[] {
  const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  // As JSON a character takes up to six.
  return [{ kind: "text", text: cutText(text, longestMessage / 8).toWellFormed() }];
}
