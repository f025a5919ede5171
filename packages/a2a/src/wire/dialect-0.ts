import { makeCard } from "../card/agent-card.ts";
import { A2AError, toError0, wrongParam } from "./a2a-error.ts";
import type { A2ACall, A2AOperation, PushCall, SendCall } from "./call.ts";
import type { Dialect } from "./dialect.ts";
import { FieldReader, present } from "./field-reader.ts";
import type { Fields } from "./field-reader.ts";
import { readAddress, readBytes } from "./file-part.ts";
import { readOptionalPush, readPushConfig, readPushId } from "./push-config.ts";
import type { PushPage, TaskPushConfig } from "./push-config.ts";
import { isInterrupted, isTerminal } from "./task.ts";
import type { A2AArtifact, A2AEvent, A2AMessage, A2APart, A2AStatus, A2ATask, A2ATaskState } from "./task.ts";

const maxHistory = Number.MAX_SAFE_INTEGER;

function readMessage(value: unknown, path: string): A2AMessage {
  const fields = new FieldReader(value, path);
  const kind = fields.optional("kind") ?? "message";
  if (kind !== "message") throw wrongParam(fields.path("kind"), '"message"');
  const role = fields.required("role");
  if (role !== "user" && role !== "agent") throw wrongParam(fields.path("role"), '"user" or "agent"');
  return {
    messageId: fields.required("messageId"),
    role,
    parts: fields.items("parts", readPart),
    ...present({
      contextId: fields.optional("contextId"),
      taskId: fields.optional("taskId"),
      metadata: fields.object("metadata"),
      extensions: fields.strings("extensions"),
      referenceTaskIds: fields.strings("referenceTaskIds"),
    }),
  };
}

/**
 * Reads a part of a message in A2A 0.x. Accepts the field `type` instead of `kind`, as in A2A 0.1, and parts that have
 * neither.
 */
function readPart(value: unknown, path: string): A2APart {
  const part = new FieldReader(value, path);
  const kind =
    part.get("kind") ?? part.get("type") ?? ["text", "file", "data"].find((name) => part.get(name) !== undefined);
  const metadata = part.object("metadata");
  if (kind === "text") return { kind, text: readText(part), ...present({ metadata }) };
  if (kind === "file") return readFile(part.reader("file"), metadata);
  if (kind === "data") return { kind, data: part.reader("data").fields, ...present({ metadata }) };
  throw wrongParam(part.path("kind"), '"text", "file" or "data"');
}

function readText(part: FieldReader): string {
  const text = part.get("text");
  if (typeof text === "string") return text;
  throw wrongParam(part.path("text"), "a string");
}

/**
 * Reads a file of a message in A2A 0.x. Older documents name its fields `fileWithBytes` and `fileWithUri`, after their
 * types.
 */
function readFile(file: FieldReader, metadata: Fields | undefined): A2APart {
  const facts = { mediaType: file.optional("mimeType"), filename: file.optional("name"), metadata };
  const bytes = file.optional("bytes") ?? file.optional("fileWithBytes");
  const uri = file.optional("uri") ?? file.optional("fileWithUri");
  if ((bytes === undefined) === (uri === undefined)) {
    throw new A2AError("invalid-params", `${file.path("bytes")} or ${file.path("uri")} must be given, and not both.`, {
      field: file.path("bytes"),
    });
  }
  return bytes === undefined
    ? readAddress(uri ?? "", file.path("uri"), facts)
    : readBytes(bytes, file.path("bytes"), facts);
}

function readSend(op: SendCall["op"], params: FieldReader): SendCall {
  const message = readMessage(params.get("message"), params.path("message"));
  const configuration = params.get("configuration") === undefined ? undefined : params.reader("configuration");
  return {
    op,
    message,
    waits: configuration?.boolean("blocking") ?? true,
    ...present({
      outputModes: configuration?.strings("acceptedOutputModes"),
      historyLength: configuration?.integer("historyLength", 0, maxHistory),
      metadata: params.object("metadata"),
      push: configuration && readOptionalPush(configuration, "pushNotificationConfig"),
    }),
  };
}

function readCall(op: A2AOperation, given: Readonly<Record<string, unknown>>): A2ACall {
  const params = new FieldReader(given, "params");
  switch (op) {
    case "send":
    case "stream":
      return readSend(op, params);
    case "get": {
      const historyLength = params.integer("historyLength", 0, maxHistory);
      return { op, id: params.required("id"), ...present({ historyLength, metadata: params.object("metadata") }) };
    }
    case "cancel":
    case "subscribe":
      return { op, id: params.required("id"), ...present({ metadata: params.object("metadata") }) };
    case "extended-card":
      return { op, ...present({ metadata: params.object("metadata") }) };
    case "list":
      throw new A2AError("method-not-found", "Tasks are listed by ListTasks of A2A 1.0.");
    default:
      return { ...readPushCall(op, params), ...present({ metadata: params.object("metadata") }) };
  }
}

function readPushCall(op: PushCall["op"], params: FieldReader): PushCall {
  switch (op) {
    case "set-push":
      return { op, id: params.required("taskId"), config: readPushConfig(params.reader("pushNotificationConfig")) };
    case "get-push":
      return {
        op,
        id: params.required("id"),
        ...present({ configId: readPushId(params, "pushNotificationConfigId") }),
      };
    case "list-push":
      return { op, id: params.required("id") };
    default:
      return { op, id: params.required("id"), configId: params.required("pushNotificationConfigId") };
  }
}

function writePush({ taskId, config: { scheme, credentials: _credentials, ...config } }: TaskPushConfig) {
  const authentication = scheme === undefined ? {} : { authentication: { schemes: [scheme] } };
  return { taskId, pushNotificationConfig: { ...config, ...authentication } };
}

/**
 * Writes a push notification: the whole task, or the message that replaces it. Receivers of 0.x accept nothing else, so
 * an artifact alone causes no notification.
 */
function writeNotification(event: A2AEvent, task: A2ATask) {
  if (event.type === "artifact") return undefined;
  const body = event.type === "message" ? writeMessage(event.message) : writeTask(task);
  return { contentType: "application/json", body };
}

/** Fields of a file in A2A 0.x. */
type File0 = { mimeType?: string; name?: string };

/** A part of a message or an artifact in the form of A2A 0.x. */
type Part0 = { metadata?: Record<string, unknown> } & (
  | { kind: "text"; text: string }
  | { kind: "file"; file: File0 & ({ bytes: string; uri?: never } | { uri: string; bytes?: never }) }
  | { kind: "data"; data: Record<string, unknown> }
);

function writePart(part: A2APart): Part0 {
  const { metadata, mediaType, filename } = part;
  const fields = present({ metadata });
  const file = present({ mimeType: mediaType, name: filename });
  switch (part.kind) {
    case "text":
      return { kind: "text", text: part.text, ...fields };
    case "bytes":
      return { kind: "file", file: { bytes: part.base64, ...file }, ...fields };
    case "url":
      return { kind: "file", file: { uri: part.url, ...file }, ...fields };
    default:
      return { kind: "data", data: toObject(part.data), ...fields };
  }
}

/** Wraps data that is not an object in an object, as the SDKs do: A2A 0.x allows only objects. */
function toObject(data: unknown): Record<string, unknown> {
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  return isObject ? (data as Record<string, unknown>) : { value: data };
}

function writeMessage(message: A2AMessage) {
  return { kind: "message" as const, ...message, parts: message.parts.map(writePart) };
}

function writeStatus({ state, at, message }: A2AStatus) {
  const timestamp = new Date(at).toISOString();
  return { state, timestamp, ...(message !== undefined && { message: writeMessage(message) }) };
}

function writeArtifact(artifact: A2AArtifact) {
  return { ...artifact, parts: artifact.parts.map(writePart) };
}

function writeTask({ id, contextId, status, artifacts, history, metadata }: A2ATask) {
  return {
    kind: "task" as const,
    id,
    contextId,
    status: writeStatus(status),
    ...(artifacts.length > 0 && { artifacts: artifacts.map(writeArtifact) }),
    ...(history.length > 0 && { history: history.map(writeMessage) }),
    ...present({ metadata }),
  };
}

/**
 * Returns true if the stream of a task ends in this state. Clients of 0.x read until `final`, even if the task only
 * waits for them.
 */
function endsStream(state: A2ATaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}

function writeEvent(event: A2AEvent) {
  switch (event.type) {
    case "task":
      return writeTask(event.task);
    case "message":
      return writeMessage(event.message);
    case "status": {
      const { taskId, contextId, status, metadata } = event;
      const told = { status: writeStatus(status), final: endsStream(status.state), ...present({ metadata }) };
      return { kind: "status-update" as const, taskId, contextId, ...told };
    }
    default: {
      const { taskId, contextId, append, isLast: lastChunk } = event;
      const artifact = writeArtifact(event.artifact);
      return { kind: "artifact-update" as const, taskId, contextId, artifact, append, lastChunk };
    }
  }
}

const shared = {
  readCall,
  writeTask,
  writeAnswer: writeEvent,
  writeEvent,
  // Never used: A2A 0.x has no method over JSON-RPC that lists tasks.
  writePage: ({ tasks }) => ({ tasks: tasks.map(writeTask) }),
  writeCard: makeCard,
  noExtendedCard: "extended-card-not-configured",
  writePush,
  writePushPage: ({ configs }: PushPage) => configs.map(writePush),
  writeNotification,
  deletedPush: null,
  defaultPushId: "default",
  writeError: toError0,
  endsStream,
  cancelsAgain: false,
  resumesEnded: true,
  repeatsAnswer: true,
} satisfies Omit<Dialect, "version">;

/** The dialect of A2A 0.3. */
export const dialect03 = { version: "0.3", ...shared } as const satisfies Dialect;

/** The dialect of A2A 0.2, from 0.2.0 to 0.2.6: over JSON-RPC it has the shapes of 0.3. */
export const dialect02 = { version: "0.2", ...shared } as const satisfies Dialect;
