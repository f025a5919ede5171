import type { A2AError } from "./a2a-error.ts";
import type { Dialect } from "./dialect.ts";
import type { A2AEvent } from "./task.ts";

/**
 * The form of the answer to a call: its A2A version, and the envelope that its binding puts around results and errors.
 */
export type Answered = {
  readonly dialect: Dialect;
  /** The media type of an answer that is not a stream. */
  readonly mediaType: string;
  /** The SSE event name of an error in a stream. Absent if the JSON itself distinguishes an error from a result. */
  readonly errorEvent?: string;
  /** Writes a result, already in the form of the dialect, as one line of JSON. */
  writeResult(result: object | null): string;
  /** Writes an error for the client as one line of JSON. */
  writeFailure(error: A2AError): string;
  /** Returns the HTTP status of an error that is not part of a stream. */
  statusOf(error: A2AError): number;
};

/** Writes the frame for an event of a task: a server-sent event whose data is a whole result. */
export function writeFrame(answered: Answered, event: A2AEvent): string {
  return frameOf(answered.writeResult(answered.dialect.writeEvent(event)));
}

/** Writes the frame of a stream for an error. */
export function writeErrorFrame(answered: Answered, error: A2AError): string {
  const name = answered.errorEvent === undefined ? "" : `event: ${answered.errorEvent}\n`;
  return name + frameOf(answered.writeFailure(error));
}

// JSON text has no line breaks, which would end the data of a server-sent event.
function frameOf(json: string): string {
  return `data: ${json}\n\n`;
}

/** The artifact to which the text of a stream is appended. */
export type TextArtifact = { taskId: string; contextId: string; artifactId: string; name?: string };

/**
 * The position of a text in its artifact. `append`: true for all texts but the first. `isLast`: true for the last text.
 */
export type TextPlace = { append: boolean; isLast: boolean };

/**
 * Returns a writer of frames that append text to an artifact. The JSON around the text is written only once, so that a
 * chunk costs no more than its text, however long the stream is.
 */
export function createTextFrames(
  answered: Answered,
  artifact: TextArtifact,
): (text: string, place: TextPlace) => string {
  const shells: [head: string, tail: string][] = [];
  return (text, place) => {
    const index = Number(place.append) * 2 + Number(place.isLast);
    const [head, tail] = (shells[index] ??= shellOf(answered, artifact, place));
    return head + JSON.stringify(text) + tail;
  };
}

const empty = '"text":""';

function shellOf(answered: Answered, artifact: TextArtifact, place: TextPlace): [head: string, tail: string] {
  const { taskId, contextId, ...facts } = artifact;
  const parts = [{ kind: "text" as const, text: "" }];
  const event = { type: "artifact" as const, taskId, contextId, artifact: { ...facts, parts }, ...place };
  const frame = writeFrame(answered, event);
  // The position for the text is found by an empty JSON string, which occurs only once: within another string, such as
  // the id, its quotation marks would be escaped.
  const at = frame.indexOf(empty) + empty.length - 2;
  return [frame.slice(0, at), frame.slice(at + 2)];
}
