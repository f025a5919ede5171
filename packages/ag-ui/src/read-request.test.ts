import type { RunWait } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { answersIn, readRequest } from "./read-request.ts";

const body = { threadId: "th", runId: "r", messages: [] as unknown[] };
const user = (content: unknown) => ({ id: "u", role: "user", content });
const saidIn = (...messages: unknown[]): unknown => readRequest({ ...body, messages }).said?.content;

describe("a request", () => {
  it("has the defaults of the protocol, and ignores fields that it does not know", () => {
    expect(readRequest({ ...body, context: 7, forwardedProps: {} })).toEqual({
      threadId: "th",
      runId: "r",
      isCurrent: false,
      said: undefined,
      state: undefined,
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

  it("takes null for each optional field, as clients in Python send it [ag-ui.request]", () => {
    const fields = { protocolVersion: null, tools: null, resume: null, state: null, context: null };
    const messages = [{ id: null, role: "user", content: "Hi." }];
    const read = readRequest({ ...body, ...fields, messages });

    expect(read).toMatchObject({ isCurrent: false, tools: [], resume: [], said: { content: "Hi." } });
    const tools = [{ name: "t", description: null, parameters: null }];
    expect(readRequest({ ...body, tools }).tools).toEqual([{ name: "t" }]);
  });

  it("is refused without a list of messages", () => {
    expect(() => readRequest({ ...body, messages: null })).toThrow("messages must be an array.");
  });

  it.each([7, {}, "text"])("refuses messages, answers and tools of %j", (value) => {
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

describe("the message of a request", () => {
  it("is the last of several messages of the user, whatever follows it", () => {
    const answer = { id: "a", role: "assistant", content: "Là." };

    expect(saidIn(user("first"), answer, user("last é"), answer)).toBe("last é");
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

    expect(saidIn(user(parts))).toEqual([
      { type: "text", text: "Où?" },
      { type: "image", data: "aQ==", mimeType: "image/png" },
      { type: "audio", data: "aQ==", mimeType: "audio/wav" },
      { type: "file", data: "aQ==", mimeType: "video/mp4" },
      { type: "file", data: "aQ==", mimeType: "application/octet-stream" },
    ]);
    expect(() => saidIn(user([7]))).toThrow("messages[0].content[0] must be an object.");
    expect(() => saidIn(user([{ type: "image" }]))).toThrow("messages[0].content[0].source must be an object.");
  });

  it("has files as clients of the revision 0.0.59 may send them", () => {
    const binary = (fields: object) => ({ type: "binary", ...fields });
    const parts = [
      binary({ mimeType: "image/png", data: "aQ==" }),
      binary({ mimeType: "audio/wav", url: "https://example.org/é.wav" }),
      binary({ mimeType: "application/pdf", data: "aQ==", filename: "plän.pdf" }),
      binary({ mimeType: "imagery/x", data: "aQ==" }),
    ];

    expect(saidIn(user(parts))).toEqual([
      { type: "image", data: "aQ==", mimeType: "image/png" },
      { type: "audio", data: "https://example.org/é.wav", mimeType: "audio/wav" },
      { type: "file", data: "aQ==", mimeType: "application/pdf", filename: "plän.pdf" },
      { type: "file", data: "aQ==", mimeType: "imagery/x" },
    ]);
  });

  it.each([
    [undefined, "application/octet-stream"],
    [null, "application/octet-stream"],
    // As browsers say it of a file whose type they do not know.
    ["", "application/octet-stream"],
    ["image/png", "image/png"],
  ])("has each kind of file with the media type %j as %s", (mimeType, expected) => {
    const types = ["image", "audio", "video", "document"];
    const parts = types.map((type) => ({ type, source: { type: "data", value: "aQ==", mimeType } }));
    const files = saidIn(user([...parts, { type: "binary", data: "aQ==", mimeType }])) as { mimeType?: unknown }[];

    expect(files.map((file) => file.mimeType)).toEqual(Array.from({ length: 5 }, () => expected));
  });

  it("lacks the parts that nobody but another service can read", () => {
    const handle = { type: "image", source: { type: "file", value: "file-1", provider: "openai" } };
    const known = { type: "binary", mimeType: "image/png", id: "file-1" };

    expect(saidIn(user([{ type: "text", text: "Hi." }, handle, known, { type: "constructor" }]))).toEqual([
      { type: "text", text: "Hi." },
    ]);
  });

  it.each<[messages: unknown[], problem: string]>([
    [[{}], "messages[0].role must be a string."],
    [[user("Hi."), { id: 7, role: "assistant" }], "messages[1].id must be a string."],
    [[user(7)], "messages[0].content must be a string or an array."],
    [[user(null), user("Hi.")], "messages[0].content must be a string or an array."],
    [[user([{ text: "Hi." }])], "messages[0].content[0].type must be a string."],
    [[user([{ type: "text", text: 7 }])], "messages[0].content[0].text must be a string."],
    [[user([{ type: "other", source: 7 }])], "messages[0].content[0].source must be an object."],
    [[user(Array.from({ length: 101 }, () => ({ type: "text", text: "é" })))], "at most 100 parts"],
  ])("is refused among %j", (messages, problem) => {
    expect(() => saidIn(...messages)).toThrow(problem);
  });

  it("may follow one that is empty, which the front end keeps although it was refused", () => {
    expect(saidIn(user(" "), user([]), user("Hi."))).toBe("Hi.");
    expect(saidIn(user(Array.from({ length: 100 }, () => ({ type: "text", text: "é" }))))).toHaveLength(100);
  });
});

describe("the tools of a request", () => {
  const toolsOf = (...tools: unknown[]) => readRequest({ ...body, tools }).tools;

  it.each(["_", "a".repeat(64), "A-1_b"])("may have the name %s", (name) => {
    expect(toolsOf({ name })).toEqual([{ name }]);
  });

  it.each([undefined, null, 7, "", "1a", "é", "a b", "a".repeat(65)])("may not have the name %s", (name) => {
    expect(() => toolsOf({ name: "ok" }, { name })).toThrow("tools[1].name must be 1 to 64 letters");
  });

  it("have a schema that is an object, and a description that is a string", () => {
    expect(() => toolsOf({ name: "t", parameters: [] })).toThrow("tools[0].parameters must be an object.");
    expect(() => toolsOf({ name: "t", description: 7 })).toThrow("tools[0].description must be a string.");
    expect(toolsOf({ name: "t", parameters: {} })).toEqual([{ name: "t" }]);
  });

  it("are at most 128", () => {
    const tools = Array.from({ length: 128 }, (_, index) => ({ name: `t${index}` }));
    expect(toolsOf(...tools)).toHaveLength(128);
    expect(() => toolsOf(...tools, { name: "more" })).toThrow("at most 128");
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

  it("are the last results of calls whose id comes again in a later round", () => {
    const result = (content: string) => ({ id: content, role: "tool", toolCallId: "call input", content });
    expect(answers([], [result("one"), user("Go on."), result("zwölf")])).toEqual({ input: { result: "zwölf" } });
  });

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
