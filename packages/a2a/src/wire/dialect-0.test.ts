import { describe, expect, it } from "vitest";
import { makeCard } from "../card/agent-card.ts";
import { toError0 } from "./a2a-error.ts";
import type { A2AOperation } from "./call.ts";
import { dialect02, dialect03 } from "./dialect-0.ts";
import type { A2AEvent, A2AMessage, A2ATask } from "./task.ts";

const metadata = { a: 1 };
const text = { kind: "text", text: "Hi" } as const;
const ids = { contextId: "c", taskId: "t" };
const at = Date.UTC(2026, 0, 31, 12, 0, 0, 7);
const timestamp = "2026-01-31T12:00:00.007Z";

const all: A2AMessage = {
  messageId: "m",
  role: "agent",
  parts: [
    { ...text, metadata },
    { kind: "bytes", base64: "AQID", mediaType: "image/png", filename: "a.png", metadata },
    { kind: "url", url: "https://example.org/a", mediaType: "text/plain", filename: "a.txt", metadata },
    { kind: "data", data: { b: 2 }, metadata },
  ],
  ...ids,
  metadata,
  extensions: ["e"],
  referenceTaskIds: ["r"],
};

const all0 = {
  kind: "message",
  messageId: "m",
  role: "agent",
  parts: [
    { kind: "text", text: "Hi", metadata },
    { kind: "file", file: { bytes: "AQID", mimeType: "image/png", name: "a.png" }, metadata },
    { kind: "file", file: { uri: "https://example.org/a", mimeType: "text/plain", name: "a.txt" }, metadata },
    { kind: "data", data: { b: 2 }, metadata },
  ],
  ...ids,
  metadata,
  extensions: ["e"],
  referenceTaskIds: ["r"],
};

const task: A2ATask = {
  id: "t",
  contextId: "c",
  status: { state: "completed", at, message: all },
  artifacts: [{ artifactId: "a", name: "n", description: "d", parts: [text], metadata, extensions: ["e"] }],
  history: [{ messageId: "h", role: "user", parts: [text] }],
  metadata,
};

const task0 = {
  kind: "task",
  id: "t",
  contextId: "c",
  status: { state: "completed", timestamp, message: all0 },
  artifacts: [{ artifactId: "a", name: "n", description: "d", parts: [text], metadata, extensions: ["e"] }],
  history: [{ kind: "message", messageId: "h", role: "user", parts: [text] }],
  metadata,
};

const read = (op: A2AOperation, params: Record<string, unknown>) => dialect03.readCall(op, params);

describe("a call of 0.x", () => {
  it("has the kind of a part as its kind, else as its type, else by its content", () => {
    const partsOf = (...parts: object[]): unknown =>
      (read("send", { message: { messageId: "m", role: "user", parts } }) as { message: A2AMessage }).message.parts;
    const both = { text: "Hi", data: { b: 2 } };
    const data = { kind: "data", data: { b: 2 } };
    expect(
      partsOf({ ...both, type: "data" }, { ...both, kind: "data", type: "text" }, both, { data: { b: 2 } }),
    ).toEqual([data, data, text, data]);
    expect(() => partsOf({ type: "image", text: "Hi" })).toThrow(/kind must be "text", "file" or "data"\.$/);
  });

  it.each(["send", "stream"] as const)("has all that a message may have: %s", (op) => {
    const configuration = {
      blocking: false,
      acceptedOutputModes: ["text/plain"],
      historyLength: Number.MAX_SAFE_INTEGER,
      pushNotificationConfig: { url: "https://example.org/hook", token: "k" },
    };
    expect(read(op, { message: all0, configuration, metadata: { b: 2 } })).toEqual({
      op,
      message: all,
      waits: false,
      outputModes: ["text/plain"],
      historyLength: Number.MAX_SAFE_INTEGER,
      push: { url: "https://example.org/hook", token: "k" },
      metadata: { b: 2 },
    });
  });

  const config = { id: "p", url: "https://example.org/hook" };
  it.each<[A2AOperation, Record<string, unknown>, object]>([
    ["get", { id: "t", historyLength: 0, metadata }, { id: "t", historyLength: 0, metadata }],
    ["cancel", { id: "t", metadata }, { id: "t", metadata }],
    ["subscribe", { id: "t", metadata }, { id: "t", metadata }],
    ["extended-card", { metadata }, { metadata }],
    ["set-push", { taskId: "t", pushNotificationConfig: config, metadata }, { id: "t", config, metadata }],
    ["get-push", { id: "t", pushNotificationConfigId: "p", metadata }, { id: "t", configId: "p", metadata }],
    ["get-push", { id: "t" }, { id: "t" }],
    ["list-push", { id: "t", metadata, pageSize: 1 }, { id: "t", metadata }],
    ["delete-push", { id: "t", pushNotificationConfigId: "p", metadata }, { id: "t", configId: "p", metadata }],
    // It has no tenants.
    ["cancel", { id: "t", tenant: "b" }, { id: "t" }],
  ])("is read: %s %j", (op, params, call) => {
    expect(read(op, params)).toEqual({ op, ...call });
  });

  const file = "params.message.parts[0].file";
  const withPart = (part: object) => ({ message: { ...all0, parts: [part] } });
  it.each<[A2AOperation, Record<string, unknown>, string]>([
    ["get", { id: "t", historyLength: 2 ** 53 }, `params.historyLength must be an integer from 0 to ${2 ** 53 - 1}.`],
    ["set-push", { id: "t", pushNotificationConfig: config }, "params.taskId must be a string that is not blank."],
    ["set-push", { taskId: "t" }, "params.pushNotificationConfig must be an object."],
    ["delete-push", { id: "t" }, "params.pushNotificationConfigId must be a string that is not blank."],
    ["list-push", { taskId: "t" }, "params.id must be a string that is not blank."],
    ["send", { message: { ...all0, kind: "task" } }, 'params.message.kind must be "message".'],
    ["send", { message: { ...all0, role: "ROLE_USER" } }, 'params.message.role must be "user" or "agent".'],
    ["send", withPart({ kind: "image" }), 'params.message.parts[0].kind must be "text", "file" or "data".'],
    ["send", withPart({ kind: "text", text: 1 }), "params.message.parts[0].text must be a string."],
    [
      "send",
      withPart({ kind: "text", text: "a", metadata: [] }),
      "params.message.parts[0].metadata must be an object.",
    ],
    ["send", withPart({ kind: "file", file: {} }), `${file}.bytes or ${file}.uri must be given, and not both.`],
  ])("is refused, and names what is wrong: %s %j", (op, params, message) => {
    const field = message.split(" ", 1)[0];
    expect(() => read(op, params)).toThrow(expect.objectContaining({ message, fields: { field } }));
  });
});

it("a listing is no call of 0.x", () => {
  const message = "Tasks are listed by ListTasks of A2A 1.0.";
  expect(() => read("list", {})).toThrow(expect.objectContaining({ kind: "method-not-found", message }));
});

describe("what is written for 0.x", () => {
  it("has all fields of a task and a message", () => {
    expect(dialect03.writeTask(task)).toEqual(task0);
    expect(dialect03.writeAnswer({ type: "task", task })).toEqual(task0);
    expect(dialect03.writeEvent({ type: "message", message: all })).toEqual(all0);
    expect(dialect03.writePage({ tasks: [task], nextPageToken: "n", pageSize: 1, totalSize: 2 })).toEqual({
      tasks: [task0],
    });
  });

  it("leaves out what a task lacks", () => {
    const status = { state: "working", at } as const;
    expect(dialect03.writeTask({ id: "t", contextId: "c", status, artifacts: [], history: [] })).toEqual({
      kind: "task",
      id: "t",
      contextId: "c",
      status: { state: "working", timestamp },
    });
  });

  it.each<[A2AEvent, object]>([
    [
      { type: "status", ...ids, status: { state: "working", at, message: all }, metadata },
      { kind: "status-update", ...ids, status: { state: "working", timestamp, message: all0 }, final: false, metadata },
    ],
    [
      { type: "status", ...ids, status: { state: "failed", at } },
      { kind: "status-update", ...ids, status: { state: "failed", timestamp }, final: true },
    ],
    [
      { type: "artifact", ...ids, artifact: { artifactId: "a", parts: all.parts }, append: true, isLast: false },
      {
        kind: "artifact-update",
        ...ids,
        artifact: { artifactId: "a", parts: all0.parts },
        append: true,
        lastChunk: false,
      },
    ],
    [
      { type: "artifact", ...ids, artifact: { artifactId: "a", parts: [text] }, append: false, isLast: true },
      { kind: "artifact-update", ...ids, artifact: { artifactId: "a", parts: [text] }, append: false, lastChunk: true },
    ],
  ])("is an update: %j", (event, written) => {
    expect(dialect03.writeEvent(event)).toEqual(written);
  });

  it.each([[null], [0], [""], [[]], [false]])("has data that is no object within one: %j", (data) => {
    const message: A2AMessage = { messageId: "m", role: "agent", parts: [{ kind: "data", data }] };
    expect(dialect03.writeEvent({ type: "message", message })).toMatchObject({ parts: [{ data: { value: data } }] });
  });

  it("has a push config without its credentials", () => {
    const config = { id: "p", url: "https://example.org/hook", token: "k", scheme: "Bearer", credentials: "canary" };
    const { scheme: _scheme, credentials: _credentials, ...rest } = config;
    const written = { taskId: "t", pushNotificationConfig: { ...rest, authentication: { schemes: ["Bearer"] } } };

    expect(dialect03.writePush({ taskId: "t", config })).toEqual(written);
    expect(dialect03.writePush({ taskId: "t", config: rest })).toEqual({ taskId: "t", pushNotificationConfig: rest });
    expect(dialect03.writePushPage({ configs: [{ taskId: "t", config }], nextPageToken: "1" })).toEqual([written]);
  });

  it("has the whole task in each notification, and none of an artifact", () => {
    const contentType = "application/json";
    const update = { type: "status", ...ids, status: task.status } as const;
    const artifact = {
      type: "artifact",
      ...ids,
      artifact: { artifactId: "a", parts: [] },
      append: false,
      isLast: true,
    } as const;

    expect(dialect03.writeNotification(update, task)).toEqual({ contentType, body: task0 });
    expect(dialect03.writeNotification({ type: "message", message: all }, task)).toEqual({ contentType, body: all0 });
    expect(dialect03.writeNotification(artifact, task)).toBeUndefined();
  });

  it("is the same in 0.2 and 0.3, as both have it", () => {
    const { version, ...rest } = dialect02;
    expect([version, dialect03.version]).toEqual(["0.2", "0.3"]);
    expect(dialect03).toEqual({ ...rest, version: "0.3" });
    expect(rest).toMatchObject({
      writeCard: makeCard,
      writeError: toError0,
      noExtendedCard: "extended-card-not-configured",
      deletedPush: null,
      defaultPushId: "default",
      cancelsAgain: false,
      resumesEnded: true,
      repeatsAnswer: true,
    });
  });
});
