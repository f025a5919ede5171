import { getOwn, readContentData, readObject, readObjects, readText } from "@troupe/core/kit";
import { present } from "../wire/field-reader.ts";
import type { A2AArtifact, A2AEvent, A2AMessage, A2APart, A2AStatus, A2ATask, A2ATaskState } from "../wire/task.ts";
import type { Fields } from "../wire/field-reader.ts";

/** An event of a remote agent, with the facts that the agent reported about its run (`told`), such as its usage. */
export type RemoteEvent = A2AEvent & { readonly told?: Fields };

const states: ReadonlySet<string> = new Set([
  "submitted",
  "working",
  "input-required",
  "auth-required",
  "completed",
  "canceled",
  "failed",
  "rejected",
] satisfies A2ATaskState[]);

/** The readers of results, by the wrapper names of A2A 1.0 and by the `kind` values of 0.x. */
const readers: Readonly<Record<string, (value: Fields) => RemoteEvent | undefined>> = {
  task: (value) => ofTask(readTask(value)),
  message: (value) => ({ type: "message", message: readMessage(value), ...toldIn(value) }),
  msg: (value) => ({ type: "message", message: readMessage(value), ...toldIn(value) }),
  statusUpdate: readStatusUpdate,
  "status-update": readStatusUpdate,
  artifactUpdate: readArtifactUpdate,
  "artifact-update": readArtifactUpdate,
};

/**
 * Reads a remote agent's result, from its answer to a call or from a frame of a stream. Accepts the form of any
 * version, because some agents answer in another version than their card declares. Drops unknown and malformed fields.
 * Returns undefined if the value is not a result.
 */
export function readEvent(result: unknown): RemoteEvent | undefined {
  const fields = readObject(result);
  for (const name of ["task", "message", "msg", "statusUpdate", "artifactUpdate"]) {
    const value = readObject(fields[name]);
    if (Object.keys(value).length > 0 && !("kind" in fields)) return readers[name]?.(value);
  }
  return getOwn(readers, readText(fields["kind"]) || guessKind(fields))?.(fields);
}

/** Guesses the missing `kind` of a remote agent's result: A2A 0.x requires the field, but some agents leave it out. */
function guessKind(fields: Fields): string {
  if ("status" in fields) return "id" in fields ? "task" : "status-update";
  if ("artifact" in fields) return "artifact-update";
  return "parts" in fields ? "message" : "";
}

function ofTask(task: A2ATask): RemoteEvent {
  return { type: "task", task, ...toldIn({ metadata: task.metadata }) };
}

function toldIn({ metadata }: Fields): { told?: Fields } {
  const told = readObject(metadata);
  return Object.keys(told).length === 0 ? {} : { told };
}

function readStatusUpdate(value: Fields): RemoteEvent {
  const { taskId, contextId } = readIds(value);
  return { type: "status", taskId, contextId, status: readStatus(value["status"]), ...toldIn(value) };
}

function readArtifactUpdate(value: Fields): RemoteEvent {
  const { taskId, contextId } = readIds(value);
  const artifact = readArtifact(readObject(value["artifact"]));
  return {
    type: "artifact",
    taskId,
    contextId,
    artifact,
    append: value["append"] === true,
    isLast: value["lastChunk"] === true,
    ...toldIn(value),
  };
}

/** The longest id of a remote agent that is kept, in characters. */
const longestId = 1024;

function readId(value: unknown): string {
  const id = readText(value);
  return id.length > longestId ? "" : id;
}

function readIds(value: Fields): { taskId: string; contextId: string } {
  return { taskId: readId(value["taskId"]), contextId: readId(value["contextId"]) };
}

function readTask(value: Fields): A2ATask {
  const metadata = value["metadata"];
  return {
    id: readId(value["id"]),
    contextId: readId(value["contextId"]),
    status: readStatus(value["status"]),
    artifacts: readObjects(value["artifacts"]).map(readArtifact),
    history: readObjects(value["history"]).map(readMessage),
    ...(metadata !== undefined && { metadata: readObject(metadata) }),
  };
}

/** Reads the status of a remote task. An unknown state counts as `working`, because the task is not over. */
function readStatus(value: unknown): A2AStatus {
  const { state, message } = readObject(value);
  const word = readText(state)
    .toLowerCase()
    .replace(/^task_state_/, "")
    .replaceAll("_", "-");
  const known = word === "cancelled" ? "canceled" : word;
  const text = Object.keys(readObject(message)).length === 0 ? undefined : readMessage(readObject(message));
  return { state: states.has(known) ? (known as A2ATaskState) : "working", at: 0, ...present({ message: text }) };
}

function readMessage(value: Fields): A2AMessage {
  const role = /user/i.test(readText(value["role"])) ? "user" : "agent";
  const { taskId, contextId } = readIds(value);
  return {
    messageId: readId(value["messageId"]),
    role,
    parts: readParts(value["parts"] ?? value["content"]),
    ...(taskId !== "" && { taskId }),
    ...(contextId !== "" && { contextId }),
  };
}

function readArtifact(value: Fields): A2AArtifact {
  const name = readText(value["name"]);
  return {
    artifactId: readId(value["artifactId"]),
    ...(name !== "" && { name }),
    parts: readParts(value["parts"]),
  };
}

function readParts(value: unknown): A2APart[] {
  return readObjects(value).map(readPart);
}

/**
 * Reads a part of a remote agent's message or artifact. A part that is neither text nor a readable file becomes data.
 */
function readPart(part: Fields): A2APart {
  const text = part["text"];
  if (typeof text === "string") return { kind: "text", text };
  const { data, mediaType, filename } = readFile(part, readObject(part["file"]));
  const read = data === "" ? undefined : readContentData({ data, ...present({ mimeType: mediaType }) });
  if (read?.kind === "base64") {
    return { kind: "bytes", base64: read.base64, ...present({ mediaType: read.mimeType ?? mediaType, filename }) };
  }
  const facts = present({ mediaType, filename });
  if (read?.kind === "url") return { kind: "url", url: read.url, ...facts };
  return { kind: "data", data: Object.hasOwn(part, "data") ? part["data"] : part, ...facts };
}

/**
 * Reads a file from a part: A2A 1.0 puts its fields in the part, 0.x in `file`. Accepts the field names of all 0.x
 * revisions.
 */
function readFile(part: Fields, file: Fields) {
  const first = (...values: unknown[]): string => values.map(readText).find((value) => value !== "") ?? "";
  const bytes = first(part["raw"], file["bytes"], file["fileWithBytes"]);
  const address = first(part["url"], file["uri"], file["fileWithUri"]);
  return {
    data: first(bytes, address),
    mediaType: first(part["mediaType"], file["mimeType"]) || undefined,
    filename: first(part["filename"], file["name"]) || undefined,
  };
}
