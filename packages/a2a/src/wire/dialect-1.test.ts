import { describe, expect, it } from "vitest";
import { makeCard1 } from "../card/agent-card.ts";
import { toError1 } from "./a2a-error.ts";
import type { A2AOperation } from "./call.ts";
import { dialect1 } from "./dialect-1.ts";
import type { A2AEvent, A2AMessage, A2ATask, A2ATaskState } from "./task.ts";

const metadata = { a: 1 };
const text = { kind: "text", text: "Hi" } as const;
const ids = { contextId: "c", taskId: "t" };
const at = Date.UTC(2026, 0, 31, 12, 0, 0, 7);
const timestamp = "2026-01-31T12:00:00.007Z";
const facts = { mediaType: "text/plain", filename: "a.txt", metadata };
const most = 2 ** 31 - 1;

const all: A2AMessage = {
  messageId: "m",
  role: "agent",
  parts: [
    { ...text, ...facts },
    { kind: "bytes", base64: "AQID", ...facts },
    { kind: "url", url: "https://example.org/a", ...facts },
    { kind: "data", data: [null, { b: 2 }], ...facts },
    { kind: "data", data: null },
  ],
  ...ids,
  metadata,
  extensions: ["e"],
  referenceTaskIds: ["r"],
};

const all1 = {
  messageId: "m",
  role: "ROLE_AGENT",
  parts: [
    { text: "Hi", ...facts },
    { raw: "AQID", ...facts },
    { url: "https://example.org/a", ...facts },
    { data: [null, { b: 2 }], ...facts },
    { data: null },
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

const task1 = {
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_COMPLETED", timestamp, message: all1 },
  artifacts: [{ artifactId: "a", name: "n", description: "d", parts: [{ text: "Hi" }], metadata, extensions: ["e"] }],
  history: [{ messageId: "h", role: "ROLE_USER", parts: [{ text: "Hi" }] }],
  metadata,
};

const read = (op: A2AOperation, params: Record<string, unknown>) => dialect1.readCall(op, params);
const call = { tenant: "b", metadata };

describe("a call of 1.0", () => {
  it.each(["send", "stream"] as const)("has all that a message may have: %s", (op) => {
    const configuration = {
      returnImmediately: true,
      acceptedOutputModes: ["text/plain"],
      historyLength: most,
      taskPushNotificationConfig: { url: "https://example.org/hook", token: "k" },
    };
    expect(read(op, { message: all1, configuration, tenant: "b", metadata: { b: 2 } })).toEqual({
      op,
      message: all,
      waits: false,
      outputModes: ["text/plain"],
      historyLength: most,
      push: { url: "https://example.org/hook", token: "k" },
      tenant: "b",
      metadata: { b: 2 },
    });
  });

  const config = { id: "p", url: "https://example.org/hook" };
  const paged = { pageSize: 0, pageToken: "2" };
  const list = { pageSize: 50, hasArtifacts: false };
  it.each<[A2AOperation, Record<string, unknown>, object]>([
    ["get", { id: "t", historyLength: 0 }, { id: "t", historyLength: 0 }],
    ["cancel", { id: "t" }, { id: "t" }],
    ["subscribe", { id: "t" }, { id: "t" }],
    ["extended-card", {}, {}],
    ["set-push", { taskId: "t", ...config }, { id: "t", config }],
    ["get-push", { taskId: "t", id: "p" }, { id: "t", configId: "p" }],
    ["get-push", { taskId: "t" }, { id: "t" }],
    ["list-push", { taskId: "t", ...paged }, { id: "t", ...paged }],
    ["list-push", { taskId: "t", pageSize: most }, { id: "t", pageSize: most }],
    ["delete-push", { taskId: "t", id: "p" }, { id: "t", configId: "p" }],
    ["list", { pageSize: 1, status: "TASK_STATE_UNSPECIFIED" }, { ...list, pageSize: 1 }],
    ["list", { status: "TASK_STATE_AUTH_REQUIRED" }, { ...list, state: "auth-required" }],
    ["list", { statusTimestampAfter: "2026-01-31T12:00:00.007123Z" }, { ...list, since: at }],
    ["list", { historyLength: most, contextId: "", pageToken: "" }, { ...list, historyLength: most }],
  ])("is read, with its tenant and metadata: %s %j", (op, params, expected) => {
    expect(read(op, { ...params, ...call })).toEqual({ op, ...expected, ...call });
  });

  const part = "params.message.parts[0]";
  const one = `${part} must have exactly one of text, raw, url and data.`;
  const time = "params.statusTimestampAfter must be a time such as 2026-01-31T12:00:00Z.";
  const role = 'params.message.role must be "ROLE_USER" or "ROLE_AGENT".';
  const withPart = (given: object) => ({ message: { ...all1, parts: [given] } });
  it.each<[A2AOperation, Record<string, unknown>, string]>([
    ["get", { id: "t", historyLength: most + 1 }, `params.historyLength must be an integer from 0 to ${most}.`],
    ["set-push", { id: "p", url: "https://example.org/hook" }, "params.taskId must be a string that is not blank."],
    ["set-push", { taskId: "t" }, "params.url must be a string that is not blank."],
    ["delete-push", { taskId: "t" }, "params.id must be a string that is not blank."],
    ["list-push", { taskId: "t", pageSize: -1 }, `params.pageSize must be an integer from 0 to ${most}.`],
    ["list", { pageSize: 101 }, "params.pageSize must be an integer from 1 to 100."],
    ["list", { status: "TASK_STATE_DONE" }, "params.status must be a state such as TASK_STATE_WORKING."],
    ["list", { statusTimestampAfter: "2026-01-31" }, time],
    ["list", { statusTimestampAfter: "2026-01-31T12:00:00" }, time],
    ["list", { statusTimestampAfter: "2026-01-31T25:00:00Z" }, time],
    ["list", { statusTimestampAfter: " 2026-01-31T12:00:00Z" }, time],
    ["send", { message: { ...all1, role: "user" } }, role],
    ["send", withPart({}), one],
    ["send", withPart({ text: "a", data: null }), one],
    ["send", withPart({ kind: "text" }), one],
    ["send", withPart({ raw: 1 }), `${part}.raw must be a string.`],
    ["send", withPart({ text: "a", filename: 1 }), `${part}.filename must be a string.`],
  ])("is refused, and names what is wrong: %s %j", (op, params, message) => {
    const field = message.split(" ", 1)[0];
    expect(() => read(op, params)).toThrow(expect.objectContaining({ message, fields: { field } }));
  });
});

describe("what is written for 1.0", () => {
  it("has all fields of a task and a message", () => {
    expect(dialect1.writeTask(task)).toEqual(task1);
    expect(dialect1.writeAnswer({ type: "task", task })).toEqual({ task: task1 });
    expect(dialect1.writeEvent({ type: "message", message: all })).toEqual({ message: all1 });
    const page = { nextPageToken: "n", pageSize: 1, totalSize: 2 };
    expect(dialect1.writePage({ tasks: [task], ...page })).toEqual({ tasks: [task1], ...page });
  });

  it.each<[A2AEvent, object]>([
    [
      { type: "status", ...ids, status: { state: "working", at, message: all }, metadata },
      { statusUpdate: { ...ids, status: { state: "TASK_STATE_WORKING", timestamp, message: all1 }, metadata } },
    ],
    [
      { type: "status", ...ids, status: { state: "failed", at } },
      { statusUpdate: { ...ids, status: { state: "TASK_STATE_FAILED", timestamp } } },
    ],
    [
      {
        type: "artifact",
        ...ids,
        artifact: { artifactId: "a", name: "n", parts: all.parts },
        append: true,
        isLast: true,
      },
      {
        artifactUpdate: {
          ...ids,
          artifact: { artifactId: "a", name: "n", parts: all1.parts },
          append: true,
          lastChunk: true,
        },
      },
    ],
    [
      { type: "artifact", ...ids, artifact: { artifactId: "a", parts: [text] }, append: false, isLast: false },
      { artifactUpdate: { ...ids, artifact: { artifactId: "a", parts: [{ text: "Hi" }] } } },
    ],
    [
      {
        type: "task",
        task: { id: "t", contextId: "c", status: { state: "submitted", at }, artifacts: [], history: [] },
      },
      { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_SUBMITTED", timestamp } } },
    ],
  ])("is an event: %j", (event, written) => {
    expect(dialect1.writeEvent(event)).toEqual(written);
    expect(dialect1.writeNotification(event)).toEqual({ contentType: "application/a2a+json", body: written });
  });

  it("has a push config without its credentials", () => {
    const config = { id: "p", url: "https://example.org/hook", token: "k", scheme: "Bearer", credentials: "canary" };
    const { scheme, credentials: _, ...rest } = config;
    const written = { taskId: "t", ...rest, authentication: { scheme } };

    expect(dialect1.writePush({ taskId: "t", config })).toEqual(written);
    expect(dialect1.writePush({ taskId: "t", config: rest })).toEqual({ taskId: "t", ...rest });
    const page = { configs: [{ taskId: "t", config }], nextPageToken: "1" };
    expect(dialect1.writePushPage(page)).toEqual({ configs: [written], nextPageToken: "1" });
  });

  it("ends a stream with the task, and where that waits for an answer", () => {
    const states: A2ATaskState[] = ["submitted", "working", "input-required", "auth-required", "completed", "canceled"];
    expect(states.filter((state) => dialect1.endsStream(state))).toEqual(["input-required", "completed", "canceled"]);
  });

  it("is that of 1.0 in all else", () => {
    expect(dialect1).toMatchObject({
      version: "1.0",
      writeCard: makeCard1,
      writeError: toError1,
      noExtendedCard: "unsupported-operation",
      deletedPush: {},
      defaultPushId: undefined,
      cancelsAgain: true,
      resumesEnded: false,
      repeatsAnswer: false,
    });
  });
});
