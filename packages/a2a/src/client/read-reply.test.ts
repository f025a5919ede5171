import { describe, expect, it } from "vitest";
import { readEvent } from "./read-reply.ts";

const parts = [{ text: "Hello" }];
const said = [{ kind: "text", text: "Hello" }];
const ids = { taskId: "t", contextId: "c" };

/** Reads the parts of a message. */
const partsOf = (given: unknown) => {
  const event = readEvent({ kind: "message", messageId: "m", parts: given });
  return event?.type === "message" ? event.message.parts : undefined;
};
/** Reads the status of a task. */
const statusOf = (status: unknown) => {
  const event = readEvent({ kind: "task", id: "t", status });
  return event?.type === "task" ? event.task.status : undefined;
};

const message = { type: "message", message: { messageId: "m", role: "agent", parts: said, ...ids } };
const status = { type: "status", ...ids, status: { state: "working", at: 0 } };
const artifact = { type: "artifact", ...ids, artifact: { artifactId: "a", parts: said }, append: false, isLast: false };
const task = {
  type: "task",
  task: { id: "t", contextId: "c", status: { state: "working", at: 0 }, artifacts: [], history: [] },
};

const written = {
  message: { messageId: "m", role: "ROLE_AGENT", parts, ...ids },
  status: { ...ids, status: { state: "TASK_STATE_WORKING" } },
  artifact: { ...ids, artifact: { artifactId: "a", parts } },
  task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } },
};

describe("an event of a remote agent", () => {
  it.each<[string, unknown, object]>([
    ["message", { message: written.message }, message],
    ["message", { msg: written.message }, message],
    ["message", { kind: "message", ...written.message }, message],
    ["message", written.message, message],
    ["status", { statusUpdate: written.status }, status],
    ["status", { kind: "status-update", ...written.status }, status],
    ["status", written.status, status],
    ["artifact", { artifactUpdate: written.artifact }, artifact],
    ["artifact", { kind: "artifact-update", ...written.artifact }, artifact],
    ["artifact", written.artifact, artifact],
    ["task", { task: written.task }, task],
    ["task", { kind: "task", ...written.task }, task],
    ["task", written.task, task],
    ["task", { kind: "", ...written.task }, task],
    // The first of several.
    ["task", { message: written.message, task: written.task }, task],
    // Empty ones do not count, as JSON of protocol buffers may have them.
    ["message", { task: {}, message: written.message }, message],
    // By its kind, whatever other fields it has.
    ["message", { kind: "message", ...written.message, task: written.task, status: {} }, message],
  ])("is a %s in each form", (_title, result, expected) => {
    expect(readEvent(result)).toEqual(expected);
  });

  it.each([
    null,
    undefined,
    7,
    "task",
    [],
    [written.task],
    {},
    { id: "t" },
    { task: {} },
    { task: [written.task] },
    { message: "Hello" },
    { kind: "other", ...written.task },
    { kind: "constructor", ...written.task },
    { kind: "toString" },
    { kind: "hasOwnProperty" },
    JSON.parse('{"kind":"__proto__"}'),
  ])("is none in %j", (result) => {
    expect(readEvent(result)).toBeUndefined();
  });

  it("has the metadata that may tell facts about the run, if there are any", () => {
    const metadata = { usage: { totalTokens: 7 } };
    for (const [name, fields] of Object.entries({
      task: written.task,
      message: written.message,
      statusUpdate: written.status,
      artifactUpdate: written.artifact,
    })) {
      expect(readEvent({ [name]: { ...fields, metadata } })).toMatchObject({ told: metadata });
      for (const none of [undefined, null, {}, [], "usage"])
        expect(readEvent({ [name]: { ...fields, metadata: none } })).not.toHaveProperty("told");
    }
  });

  it("has ids of at most 1024 characters, and others as none", () => {
    for (const [length, id] of [
      [1024, "i".repeat(1024)],
      [1025, ""],
    ] as const) {
      const long = "i".repeat(length);
      const event = readEvent({ taskId: long, contextId: long, artifact: { artifactId: long, parts } });
      expect(event).toMatchObject({ taskId: id, contextId: id, artifact: { artifactId: id } });
    }
    expect(readEvent({ id: 7, contextId: null, status: {} })).toMatchObject({ task: { id: "", contextId: "" } });
    expect(readEvent({ kind: "message", parts, taskId: "", contextId: 7 })).toEqual({
      type: "message",
      message: { messageId: "", role: "agent", parts: said },
    });
  });

  it.each([
    [{ append: true, lastChunk: true }, [true, true]],
    [{ append: false, lastChunk: false }, [false, false]],
    [{ append: "true", lastChunk: 1 }, [false, false]],
    [{}, [false, false]],
  ])("an event of a remote agent of an artifact with %j has append and isLast %j", (flags, [append, isLast]) => {
    expect(readEvent({ ...written.artifact, ...flags })).toMatchObject({ append, isLast });
  });

  it("an event of a remote agent of a task has its artifacts and its history, as far as they are objects", () => {
    const given = {
      ...written.task,
      artifacts: [null, { artifactId: "a", name: "n", description: "d", parts }, "x", { artifactId: "b", name: 7 }],
      history: [{ role: "user", messageId: "m", content: parts }, 7],
    };

    expect(readEvent(given)).toMatchObject({
      task: {
        artifacts: [
          { artifactId: "a", name: "n", parts: said },
          { artifactId: "b", parts: [] },
        ],
        history: [{ messageId: "m", role: "user", parts: said }],
      },
    });
    expect(readEvent({ ...written.task, artifacts: {}, history: "x" })).toEqual(task);
  });
});

describe("the status of a remote task", () => {
  it.each([
    ["submitted", "submitted"],
    ["TASK_STATE_SUBMITTED", "submitted"],
    ["working", "working"],
    ["input-required", "input-required"],
    ["input_required", "input-required"],
    ["TASK_STATE_INPUT_REQUIRED", "input-required"],
    ["TASK_STATE_AUTH_REQUIRED", "auth-required"],
    ["COMPLETED", "completed"],
    ["canceled", "canceled"],
    ["cancelled", "canceled"],
    ["TASK_STATE_CANCELLED", "canceled"],
    ["failed", "failed"],
    ["TASK_STATE_REJECTED", "rejected"],
    // A task of an unknown state is not over.
    ["unknown", "working"],
    ["TASK_STATE_UNSPECIFIED", "working"],
    ["done", "working"],
    ["", "working"],
    [7, "working"],
    [null, "working"],
  ])("%j is %s", (state, expected) => {
    expect(statusOf({ state })).toEqual({ state: expected, at: 0 });
  });

  it("has its message, if there is one", () => {
    expect(statusOf({ state: "failed", message: { role: "agent", messageId: "m", parts } })).toEqual({
      state: "failed",
      at: 0,
      message: { messageId: "m", role: "agent", parts: said },
    });
    for (const none of [{}, null, "Hello", []])
      expect(statusOf({ state: "failed", message: none })).toEqual({ state: "failed", at: 0 });
    for (const none of [undefined, null, "completed", []]) expect(statusOf(none)).toEqual({ state: "working", at: 0 });
  });
});

describe("the parts of a remote message", () => {
  const bytes = Buffer.from("%PDF-1.7").toString("base64");
  const pdf = { kind: "bytes", base64: bytes, mediaType: "application/pdf", filename: "a.pdf" };
  const at = { kind: "url", url: "https://files.example/a.pdf", mediaType: "application/pdf", filename: "a.pdf" };
  const facts1 = { mediaType: "application/pdf", filename: "a.pdf" };
  const facts0 = { mimeType: "application/pdf", name: "a.pdf" };

  it.each<[string, object, object]>([
    ["text", { kind: "text", text: "Hello" }, { kind: "text", text: "Hello" }],
    ["an empty text", { text: "" }, { kind: "text", text: "" }],
    ["bytes of 1.0", { raw: bytes, ...facts1 }, pdf],
    ["bytes of 0.3", { kind: "file", file: { bytes, ...facts0 } }, pdf],
    ["bytes of other revisions", { file: { fileWithBytes: bytes, ...facts0 } }, pdf],
    ["bytes and an address", { raw: bytes, url: at.url, ...facts1 }, pdf],
    ["an address of 1.0", { url: at.url, ...facts1 }, at],
    ["an address of 0.3", { kind: "file", file: { uri: at.url, ...facts0 } }, at],
    ["an address of other revisions", { file: { fileWithUri: at.url, ...facts0 } }, at],
    ["an address with empty bytes", { raw: "", url: at.url, ...facts1 }, at],
    ["data", { kind: "data", data: { a: [1] } }, { kind: "data", data: { a: [1] } }],
    ["data that is null", { data: null }, { kind: "data", data: null }],
    ["data with its type", { data: 7, mediaType: "x/y" }, { kind: "data", data: 7, mediaType: "x/y" }],
    ["what is none of them", { other: 1 }, { kind: "data", data: { other: 1 } }],
    ["a text that is none", { text: 7 }, { kind: "data", data: { text: 7 } }],
    ["bytes that are no base64", { raw: "%" }, { kind: "data", data: { raw: "%" } }],
    [
      "an address with credentials",
      { url: "https://ada:x@files.example" },
      { kind: "data", data: { url: "https://ada:x@files.example" } },
    ],
    [
      "an address of another scheme",
      { url: "file:///etc/passwd" },
      { kind: "data", data: { url: "file:///etc/passwd" } },
    ],
  ])("%s", (_title, part, expected) => {
    expect(partsOf([part])).toEqual([expected]);
  });

  it("are those that are objects, of an array", () => {
    expect(partsOf([null, "Hello", { text: "Hello" }, [], 7])).toEqual(said);
    for (const none of [undefined, null, "Hello", { text: "Hello" }]) expect(partsOf(none)).toEqual([]);
  });
});
