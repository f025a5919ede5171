import { cutText } from "@troupe/core/kit";
import type { Json } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import type { A2AMessage, A2APart } from "../wire/task.ts";

/**
 * A message of a task as stored in the `note` of its run: data that this server keeps beside the run. The id of the
 * task is the id of the run, and the id of the context is the id of its session.
 */
type KeptMessage = Omit<A2AMessage, "taskId" | "contextId">;

/** Largest JSON of one stored message, and of all stored messages of a task, in characters. */
const longestMessage = 65_536;
const longestHistory = 196_608;

/** Longest base64 of a file in a stored message, in characters. Longer files are replaced by their length. */
const longestBase64 = 4096;

/** Returns the `note` to store with a run that begins with this message: the first message of the task's history. */
export function noteOf(message: A2AMessage): Json {
  return toNote([toKept(message)]);
}

/**
 * Returns the stored messages of a task with more messages at their end. Drops the oldest messages if there are too
 * many.
 */
export function noteWith(note: Json | undefined, messages: readonly A2AMessage[]): Json {
  const kept = [...readNote(note), ...messages.map(toKept)];
  const lengths = kept.map((message) => JSON.stringify(message).length);
  let length = lengths.reduce((sum, each) => sum + each, 0);
  let first = 0;
  for (; length > longestHistory; first++) length -= lengths[first] ?? 0;
  return toNote(kept.slice(first));
}

/** Returns the stored messages of a task in order of time; none for a run that no A2A message began. */
export function readHistory({ runId, sessionId, note }: Pick<RunView, "runId" | "sessionId" | "note">): A2AMessage[] {
  return readNote(note).map((message) => ({ ...message, taskId: runId, contextId: sessionId }));
}

function toNote(messages: readonly KeptMessage[]): Json {
  return { a2a: messages as unknown as Json };
}

function readNote(note: Json | undefined): readonly KeptMessage[] {
  if (typeof note !== "object" || note === null || Array.isArray(note)) return [];
  const { a2a } = note as { readonly a2a?: Json };
  // Only this server writes `a2a` in the note of a run, so its form is certain.
  return Array.isArray(a2a) ? (a2a as KeptMessage[]) : [];
}

function toKept({ taskId: _task, contextId: _context, ...message }: A2AMessage): KeptMessage {
  const kept = { ...message, parts: message.parts.map(withoutBytes) };
  if (JSON.stringify(kept).length <= longestMessage) return kept;
  const { messageId, role } = message;
  return { messageId, role, parts: cutParts(kept.parts), metadata: { isCut: true } };
}

/**
 * Removes the bytes of a large file from a message before it is stored. The agent has already received the file, and
 * the history would keep it as long as the task.
 */
function withoutBytes(part: A2APart): A2APart {
  if (part.kind !== "bytes" || part.base64.length <= longestBase64) return part;
  const sizeInBytes = Math.floor((part.base64.replace(/=+$/, "").length * 3) / 4);
  return { ...part, base64: "", metadata: { ...part.metadata, leftOut: { sizeInBytes } } };
}

/** Shortens a message that is too long to store to the beginning of its text. */
function cutParts(parts: readonly A2APart[]): A2APart[] {
  const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  // A character of a text takes up to six characters of JSON, as `\u0000` does.
  return [{ kind: "text", text: cutText(text, longestMessage / 8).toWellFormed() }];
}
