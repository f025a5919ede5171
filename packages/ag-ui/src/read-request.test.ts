import type { RunWait } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { answersIn, readRequest } from "./read-request.ts";

const body = { threadId: "th", runId: "r", messages: [] as unknown[] };
const user = (content: unknown) => ({ id: "u", role: "user", content });
const inputOf = (...messages: unknown[]): unknown => readRequest({ ...body, messages }).input;

describe("a request", () => {
  it("has the defaults of the protocol, and ignores fields that it does not know", () => {
    expect(readRequest({ ...body, context: 7, forwardedProps: {} })).toEqual({
      threadId: "th",
      runId: "r",
      isCurrent: false,
      input: undefined,
      resume: [],
      toolResults: new Map(),
      tools: [],
      messages: [],
    });
    expect(readRequest({ ...body, protocolVersion: "1.0" }).isCurrent).toBe(true);
  });

  it.each([1, 255, 256])("takes a runId of %i characters", (length) => {
    expect(readRequest({ ...body, runId: "é".repeat(length) }).runId).toHaveLength(length);
  });

  it.each([0, 257])("refuses a runId of %i characters", (length) => {
    expect(() => readRequest({ ...body, runId: "é".repeat(length) })).toThrow("runId");
  });

  it.each([null, 7, {}, "text"])("refuses messages, answers and tools of %j", (value) => {
    expect(() => readRequest({ ...body, messages: value })).toThrow("messages must be an array.");
    expect(() => readRequest({ ...body, resume: value })).toThrow("resume must be an array.");
    expect(() => readRequest({ ...body, tools: value })).toThrow("tools must be an array.");
  });

  it("is refused without messages", () => {
    expect(() => readRequest({ ...body, messages: undefined })).toThrow("messages must be an array.");
  });

  it("is refused without a body", () => {
    expect(() => readRequest(undefined)).toThrow("threadId must be a string.");
  });
});

describe("the input of a request", () => {
  it("is the last of several messages of the user, whatever follows it", () => {
    const answer = { id: "a", role: "assistant", content: "Là." };

    expect(inputOf(user("first"), answer, user("last é"), answer)).toBe("last é");
  });

  it.each([
    [{ city: "Oslo" }, { city: "Oslo" }],
    [{}, undefined],
    [[], undefined],
    [null, undefined],
    ["x", undefined],
  ])("is the state %j without a message of the user", (state, input) => {
    expect(readRequest({ ...body, state }).input).toEqual(input);
    expect(readRequest({ ...body, state, messages: [user("Hi.")] }).input).toBe("Hi.");
  });

  it("has parts with their kind and type", () => {
    const source = (mimeType?: string) => ({ type: "data", value: "aQ==", ...(mimeType && { mimeType }) });
    const parts = [
      { type: "text", text: "Où?" },
      { type: "image", source: source("image/png") },
      { type: "audio", source: source("audio/wav") },
      { type: "video", source: source("video/mp4") },
      { type: "document", source: source() },
    ];

    expect(inputOf(user(parts))).toEqual([
      { type: "text", text: "Où?" },
      { type: "image", data: "aQ==", mimeType: "image/png" },
      { type: "audio", data: "aQ==", mimeType: "audio/wav" },
      { type: "file", data: "aQ==", mimeType: "video/mp4" },
      { type: "file", data: "aQ==", mimeType: "application/octet-stream" },
    ]);
    expect(() => inputOf(user([7]))).toThrow("messages[0].content[0] must be an object.");
    expect(() => inputOf(user([{ type: "image" }]))).toThrow("source of a part must be an object.");
  });
});

describe("the answers in a request", () => {
  const waitOf = (kind: RunWait["kind"], id: string = kind) =>
    ({ id, kind, toolCallId: `call ${id}`, about: {}, askedAt: 1 }) as unknown as RunWait;
  const waits = [waitOf("approval"), waitOf("input"), waitOf("doubt")];
  const answers = (resume: object[], messages: object[] = [], asked: RunWait[] = waits) =>
    Object.fromEntries(answersIn(readRequest({ ...body, resume, messages }), asked));
  const resolved = (interruptId: string, payload?: unknown) => ({ interruptId, status: "resolved", payload });
  const cancelled = (interruptId: string, payload?: unknown) => ({ interruptId, status: "cancelled", payload });

  it.each<[unknown, object]>([
    [{ approved: true }, { approved: true }],
    [
      { approved: true, reason: "Fine é.", editedArgs: { a: 1 } },
      { approved: true, reason: "Fine é.", args: { a: 1 } },
    ],
    [
      { approved: false, reason: "No.", editedArgs: { a: 1 } },
      { approved: false, reason: "No." },
    ],
    [{ approved: "true" }, { approved: false }],
    [{ approved: 1, reason: 7 }, { approved: false }],
    [{}, { approved: false }],
    [null, { approved: false }],
    [undefined, { approved: false }],
    ["approved", { approved: false }],
  ])("approve with %j as %j, and never where they are cancelled", (payload, approval) => {
    expect(answers([resolved("approval", payload)])).toEqual({ approval });
    expect(answers([cancelled("approval", payload)])).toEqual({ approval: { approved: false } });
  });

  it.each<[unknown, object]>([
    [{ result: 1 }, { result: 1 }],
    [{ error: "No." }, { error: "No." }],
    [{ a: 1 }, { result: { a: 1 } }],
    ["é", { result: "é" }],
    [null, { result: null }],
    [undefined, { result: null }],
  ])("give a tool's result with %j as %j, and an error where they are cancelled", (payload, result) => {
    expect(answers([resolved("input", payload)])).toEqual({ input: result });
    expect(answers([cancelled("input", payload)])).toEqual({ input: { error: "The user has cancelled." } });
  });

  it("decide on a doubt, and give up where they are cancelled", () => {
    expect(answers([resolved("doubt", { choice: "again" })])).toEqual({ doubt: { choice: "again" } });
    expect(answers([cancelled("doubt", { choice: "again" })])).toEqual({ doubt: { choice: "giveUp" } });
  });

  it("answer each of several questions, in any order, and no other", () => {
    const asked = [waitOf("approval", "a"), waitOf("approval", "b"), waitOf("input", "c")];
    const given = [resolved("c", 1), resolved("b", { approved: true }), resolved("z", { approved: true })];

    expect(answers(given, [], asked)).toEqual({ b: { approved: true }, c: { result: 1 } });
  });

  it("come from messages of tools too, for calls of the client alone, and behind an answer by id", () => {
    const tool = (toolCallId: unknown, more: object) => ({ id: "t", role: "tool", toolCallId, ...more });
    const messages = [tool("call input", { content: "60 N" }), tool("call approval", { content: "yes" }), tool(7, {})];

    expect(answers([], messages)).toEqual({ input: { result: "60 N" } });
    expect(answers([], [tool("call input", { content: "x", error: "No." })])).toEqual({ input: { error: "No." } });
    expect(answers([], [tool("call input", {})])).toEqual({ input: { result: null } });
    expect(answers([resolved("input", 1)], messages)).toEqual({ input: { result: 1 } });
  });
});
