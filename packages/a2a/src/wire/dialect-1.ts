import { makeCard1 } from "../card/agent-card.ts";
import { A2AError, toError1, wrongParam } from "./a2a-error.ts";
import type { A2ACall, A2AOperation, ListCall, PushCall, SendCall } from "./call.ts";
import type { Dialect } from "./dialect.ts";
import { FieldReader, present } from "./field-reader.ts";
import { readAddress, readBytes } from "./file-part.ts";
import { readOptionalPush, readPushConfig, readPushId } from "./push-config.ts";
import type { TaskPushConfig } from "./push-config.ts";
import { isTerminal } from "./task.ts";
import type { A2AArtifact, A2AEvent, A2AMessage, A2APart, A2AStatus, A2ATask, A2ATaskState } from "./task.ts";

const maxHistory = 2 ** 31 - 1;
const defaultPageSize = 50;
const maxPageSize = 100;

const roles = { user: "ROLE_USER", agent: "ROLE_AGENT" } as const satisfies Record<A2AMessage["role"], string>;

const states = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  "input-required": "TASK_STATE_INPUT_REQUIRED",
  "auth-required": "TASK_STATE_AUTH_REQUIRED",
  completed: "TASK_STATE_COMPLETED",
  canceled: "TASK_STATE_CANCELED",
  failed: "TASK_STATE_FAILED",
  rejected: "TASK_STATE_REJECTED",
} as const satisfies Record<A2ATaskState, string>;

function readMessage(value: unknown, path: string): A2AMessage {
  const fields = new FieldReader(value, path);
  return {
    messageId: fields.required("messageId"),
    role: readRole(fields),
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

function readRole(message: FieldReader): A2AMessage["role"] {
  const role = message.required("role");
  if (role === roles.user) return "user";
  if (role === roles.agent) return "agent";
  throw wrongParam(message.path("role"), `"${roles.user}" or "${roles.agent}"`);
}

const contents = ["text", "raw", "url", "data"] as const;

/**
 * Reads a part of a message in A2A 1.0, which must have exactly one of `text`, `raw`, `url` and `data`. `data` may be
 * any JSON, also null.
 */
function readPart(value: unknown, path: string): A2APart {
  const part = new FieldReader(value, path);
  const given = contents.filter((name) =>
    name === "data" ? Object.hasOwn(part.fields, name) : part.get(name) !== undefined,
  );
  const [content] = given;
  if (content === undefined || given.length > 1) {
    throw new A2AError("invalid-params", `${path} must have exactly one of text, raw, url and data.`, { field: path });
  }
  const facts = {
    mediaType: part.optional("mediaType"),
    filename: part.optional("filename"),
    metadata: part.object("metadata"),
  };
  if (content === "data") return { kind: "data", data: part.fields["data"], ...present(facts) };
  const text = part.get(content);
  if (typeof text !== "string") throw wrongParam(part.path(content), "a string");
  if (content === "raw") return readBytes(text, part.path(content), facts);
  if (content === "url") return readAddress(text, part.path(content), facts);
  return { kind: "text", text, ...present(facts) };
}

function readSend(op: SendCall["op"], params: FieldReader): SendCall {
  const message = readMessage(params.get("message"), params.path("message"));
  const configuration = params.get("configuration") === undefined ? undefined : params.reader("configuration");
  return {
    op,
    message,
    waits: configuration?.boolean("returnImmediately") !== true,
    ...present({
      outputModes: configuration?.strings("acceptedOutputModes"),
      historyLength: configuration?.integer("historyLength", 0, maxHistory),
      push: configuration && readOptionalPush(configuration, "taskPushNotificationConfig"),
      ...readCallFields(params),
    }),
  };
}

function readCallFields(params: FieldReader) {
  return present({ tenant: params.optional("tenant"), metadata: params.object("metadata") });
}

function readList(params: FieldReader): ListCall {
  return {
    op: "list",
    pageSize: params.integer("pageSize", 1, maxPageSize) ?? defaultPageSize,
    hasArtifacts: params.boolean("includeArtifacts") ?? false,
    ...present({
      contextId: params.optional("contextId"),
      state: readState(params),
      pageToken: params.optional("pageToken"),
      historyLength: params.integer("historyLength", 0, maxHistory),
      since: readTime(params, "statusTimestampAfter"),
      ...readCallFields(params),
    }),
  };
}

function readState(params: FieldReader): A2ATaskState | undefined {
  const name = params.optional("status");
  if (name === undefined || name === "TASK_STATE_UNSPECIFIED") return undefined;
  const found = Object.entries(states).find(([, wire]) => wire === name);
  if (found !== undefined) return found[0] as A2ATaskState;
  throw wrongParam(params.path("status"), "a state such as TASK_STATE_WORKING");
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function readTime(params: FieldReader, name: string): number | undefined {
  const text = params.optional(name);
  if (text === undefined) return undefined;
  const time = timeForm.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw wrongParam(params.path(name), "a time such as 2026-01-31T12:00:00Z");
}

function readCall(op: A2AOperation, given: Readonly<Record<string, unknown>>): A2ACall {
  const params = new FieldReader(given, "params");
  switch (op) {
    case "send":
    case "stream":
      return readSend(op, params);
    case "get": {
      const historyLength = params.integer("historyLength", 0, maxHistory);
      return { op, id: params.required("id"), ...present({ historyLength }), ...readCallFields(params) };
    }
    case "cancel":
    case "subscribe":
      return { op, id: params.required("id"), ...readCallFields(params) };
    case "extended-card":
      return { op, ...readCallFields(params) };
    case "list":
      return readList(params);
    default:
      return { ...readPushCall(op, params), ...readCallFields(params) };
  }
}

function readPushCall(op: PushCall["op"], params: FieldReader): PushCall {
  const id = params.required("taskId");
  switch (op) {
    case "set-push":
      return { op, id, config: readPushConfig(params) };
    case "get-push":
      return { op, id, ...present({ configId: readPushId(params, "id") }) };
    case "list-push": {
      const pageSize = params.integer("pageSize", 0, maxHistory);
      return { op, id, ...present({ pageSize, pageToken: params.optional("pageToken") }) };
    }
    default:
      return { op, id, configId: params.required("id") };
  }
}

function writePush({ taskId, config: { scheme, credentials: _credentials, ...config } }: TaskPushConfig) {
  return { taskId, ...config, ...(scheme !== undefined && { authentication: { scheme } }) };
}

function writePart(part: A2APart) {
  const { mediaType, filename, metadata } = part;
  const fields = present({ mediaType, filename, metadata });
  switch (part.kind) {
    case "text":
      return { text: part.text, ...fields };
    case "bytes":
      return { raw: part.base64, ...fields };
    case "url":
      return { url: part.url, ...fields };
    default:
      return { data: part.data, ...fields };
  }
}

function writeMessage({ role, parts, ...message }: A2AMessage) {
  return { ...message, role: roles[role], parts: parts.map(writePart) };
}

function writeStatus({ state, at, message }: A2AStatus) {
  const timestamp = new Date(at).toISOString();
  return { state: states[state], timestamp, ...(message !== undefined && { message: writeMessage(message) }) };
}

function writeArtifact({ parts, ...artifact }: A2AArtifact) {
  return { ...artifact, parts: parts.map(writePart) };
}

function writeTask({ id, contextId, status, artifacts, history, metadata }: A2ATask) {
  return {
    id,
    contextId,
    status: writeStatus(status),
    ...(artifacts.length > 0 && { artifacts: artifacts.map(writeArtifact) }),
    ...(history.length > 0 && { history: history.map(writeMessage) }),
    ...present({ metadata }),
  };
}

function writeEvent(event: A2AEvent): object {
  switch (event.type) {
    case "task":
      return { task: writeTask(event.task) };
    case "message":
      return { message: writeMessage(event.message) };
    case "status": {
      const { taskId, contextId, status, metadata } = event;
      return { statusUpdate: { taskId, contextId, status: writeStatus(status), ...present({ metadata }) } };
    }
    default: {
      const { taskId, contextId, append, isLast } = event;
      const artifact = writeArtifact(event.artifact);
      const flags = { ...(append && { append }), ...(isLast && { lastChunk: true }) };
      return { artifactUpdate: { taskId, contextId, artifact, ...flags } };
    }
  }
}

/** The dialect of A2A 1.0. */
export const dialect1 = {
  version: "1.0",
  readCall,
  writeTask,
  writeAnswer: writeEvent,
  writeEvent,
  writePage: ({ tasks, ...page }) => ({ tasks: tasks.map(writeTask), ...page }),
  writeCard: makeCard1,
  // A2A's own error, `extended-card-not-configured`, is for an extended card that is declared but missing.
  noExtendedCard: "unsupported-operation",
  writePush,
  writePushPage: ({ configs, nextPageToken }) => ({ configs: configs.map(writePush), nextPageToken }),
  writeNotification: (event) => ({ contentType: "application/a2a+json", body: writeEvent(event) }),
  deletedPush: {},
  defaultPushId: undefined,
  writeError: toError1,
  // The stream of a task that waits for credentials stays open: the task continues once they arrive in another way.
  endsStream: (state) => isTerminal(state) || state === "input-required",
  cancelsAgain: true,
  resumesEnded: false,
  repeatsAnswer: false,
} as const satisfies Dialect;
