import type { A2AError } from "./a2a-error.ts";
import type { Dialect } from "./dialect.ts";
import type { A2AEvent } from "./task.ts";

/** The form of the answer to a call: the version in which it is written, and what the binding puts around it. */
export type Answered = {
  readonly dialect: Dialect;
  /** The media type of an answer that is no stream. */
  readonly mediaType: string;
  /** The name of the event with which a stream fails; none where an error is told from a result by its fields. */
  readonly errorEvent?: string;
  /** Writes a result that the dialect has written, as JSON on one line. */
  writeResult(result: object | null): string;
  /** Writes an error as JSON on one line. */
  writeFailure(error: A2AError): string;
  /** Returns the HTTP status of an error that is no frame of a stream. */
  statusOf(error: A2AError): number;
};

/** Writes the frame of an event, as a server-sent event whose data is a whole answer. */
export function writeFrame(answered: Answered, event: A2AEvent): string {
  return frameOf(answered.writeResult(answered.dialect.writeEvent(event)));
}

/** Writes the frame of an error, for clients that read nothing but a stream. */
export function writeErrorFrame(answered: Answered, error: A2AError): string {
  const name = answered.errorEvent === undefined ? "" : `event: ${answered.errorEvent}\n`;
  return name + frameOf(answered.writeFailure(error));
}

// JSON has no line breaks, which would end the data.
function frameOf(json: string): string {
  return `data: ${json}\n\n`;
}

/** The artifact to which a stream's texts are appended. */
export type TextArtifact = { taskId: string; contextId: string; artifactId: string; name?: string };

/** The place of a text in its artifact: `append` for all but the first, `isLast` if no more follow. */
export type TextPlace = { append: boolean; isLast: boolean };

/**
 * Returns a writer of frames that append a text to an artifact. It writes the frame around the text once, so that a chunk
 * costs no more than its text, however long the stream is.
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
  // Found only there: within a string, such as the id, its quotation marks are escaped.
  const at = frame.indexOf(empty) + empty.length - 2;
  return [frame.slice(0, at), frame.slice(at + 2)];
}
