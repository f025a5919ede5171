import type { A2ACall } from "../src/wire/call.ts";
import type { Dialect } from "../src/wire/dialect.ts";
import type { A2AArtifact, A2AEvent } from "../src/wire/task.ts";

/** The events of a stream or the one answer that a client gets, and its error. */
export type Frame = { readonly result?: A2AEvent; readonly error?: string };

/** Returns what is wrong with the answer to a client that was there until the end. */
export function problemOf(frames: readonly Frame[], { op }: A2ACall, dialect: Dialect): string | undefined {
  if (op !== "stream" && op !== "subscribe") return frames.length === 1 ? undefined : "not one answer";
  const ends = frames.filter(({ result, error }) => error !== undefined || isEnd(result, dialect));
  if (ends.length !== 1 || ends[0] !== frames.at(-1)) return "not one end, at the end";
  return ends[0]?.error === undefined ? problemOfEvents(frames) : undefined;
}

function problemOfEvents(frames: readonly Frame[]): string | undefined {
  const [first, ...events] = frames.flatMap(({ result }) => result ?? []);
  if (first?.type !== "task") return "no task comes first";
  if (events.some(({ type }) => type === "task")) return "two tasks come";
  const last = events.at(-1);
  const isCompleted = last?.type === "status" && last.status.state === "completed";
  const shown = events.reduce(addText, first.task.artifacts.map(textOf).join(""));
  return isCompleted && shown !== "All is done." ? `a completed task has "${shown}"` : undefined;
}

function isEnd(event: A2AEvent | undefined, dialect: Dialect): boolean {
  return event?.type === "message" || (event?.type === "status" && dialect.endsStream(event.status.state));
}

/** Adds what an event brings to the text of an answer, as a client does. */
function addText(shown: string, event: A2AEvent): string {
  if (event.type !== "artifact") return shown;
  return event.append ? shown + textOf(event.artifact) : textOf(event.artifact);
}

function textOf({ parts }: A2AArtifact): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}
