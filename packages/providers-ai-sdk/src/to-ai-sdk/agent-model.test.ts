import { describe, expect, it } from "vitest";
import { readPrompt } from "./read-prompt.ts";
import { toRunOptions } from "./to-run-options.ts";
import type { AiSdkCall } from "./types.ts";

type Prompt = AiSdkCall["prompt"];
const read = (...prompt: unknown[]) => readPrompt(prompt as unknown as Prompt);
const user = (...content: object[]) => ({ role: "user", content });
const text = (value: string) => ({ type: "text", text: value });
const call = (toolCallId: string) => ({ type: "tool-call", toolCallId, toolName: "look", input: { é: 1 } });
const result = (toolCallId: string, output: object) => ({ type: "tool-result", toolCallId, output });

describe("the prompt of a call", () => {
  it("is the user's last message, and all before it", () => {
    const asking = [text("x"), text("y"), call("1"), call("0")];
    const results = [result("1", { type: "text", value: "r" }), result("0", { type: "text", value: "q" })];
    const { input, history } = read(
      { role: "system", content: "é" },
      user(text("a"), text("b")),
      {
        role: "assistant",
        content: [...asking, ...results, text("z"), call("2")],
      },
      {
        role: "tool",
        content: [
          result("2", { type: "json", value: { a: 1 } }),
          result("3", { type: "execution-denied", reason: "No." }),
          result("4", { type: "execution-denied" }),
          result("5", { type: "content", value: [text("c")] }),
          result("6", { type: "text" }),
          { type: "other" },
        ],
      },
      { role: "assistant", content: [] },
      user(text("Où?")),
    );

    const asked = (id: string) => ({ id, name: "look", arguments: { é: 1 } });
    expect(input).toBe("Où?");
    expect(history).toEqual([
      { role: "system", content: "é" },
      { role: "user", content: [text("a"), text("b")] },
      { role: "assistant", content: "xy", toolCalls: [asked("1"), asked("0")] },
      { role: "tool", toolCallId: "1", content: "r" },
      { role: "tool", toolCallId: "0", content: "q" },
      { role: "assistant", content: "z", toolCalls: [asked("2")] },
      { role: "tool", toolCallId: "2", content: '{"a":1}' },
      { role: "tool", toolCallId: "3", content: "not executed: No." },
      { role: "tool", toolCallId: "4", content: "not executed: denied" },
      { role: "tool", toolCallId: "5", content: "c" },
      { role: "tool", toolCallId: "6", content: "" },
    ]);
  });

  it("has an answer for each round of the agent's tools, however many are in one message", () => {
    const rounds = ["1", "2", "3"].flatMap((id) => [text(id), call(id), result(id, { type: "text", value: `r${id}` })]);
    const { history } = read(user(text("a")), { role: "assistant", content: [...rounds, text("z")] }, user(text("b")));

    expect(
      history.map(({ role, content, toolCalls = [] }) => [role, content, ...toolCalls.map(({ id }) => id)]),
    ).toEqual([
      ["user", "a"],
      ["assistant", "1", "1"],
      ["tool", "r1"],
      ["assistant", "2", "2"],
      ["tool", "r2"],
      ["assistant", "3", "3"],
      ["tool", "r3"],
      ["assistant", "z"],
    ]);
  });

  it.each<[object, object]>([
    [
      { mediaType: "image/png", data: "aQ==" },
      { type: "image", data: "aQ==", mimeType: "image/png" },
    ],
    [
      { mediaType: "image/*", data: new URL("https://e.x/é") },
      { type: "image", data: "https://e.x/%C3%A9" },
    ],
    [
      { mediaType: "audio/wav", data: Uint8Array.of(105) },
      { type: "audio", data: "aQ==", mimeType: "audio/wav" },
    ],
    [
      { mediaType: "text/plain", data: { type: "text", text: "é" }, filename: "é.txt" },
      { type: "file", data: "w6k=", mimeType: "text/plain", filename: "é.txt" },
    ],
    [
      { mediaType: "video/mp4", data: { type: "data", data: "aQ==" }, filename: "" },
      { type: "file", data: "aQ==", mimeType: "video/mp4" },
    ],
    [
      { mediaType: "application/pdf", data: { type: "url", url: new URL("https://e.x/a") } },
      { type: "file", data: "https://e.x/a", mimeType: "application/pdf" },
    ],
    [
      { mediaType: "toString/x", data: "aQ==" },
      { type: "file", data: "aQ==", mimeType: "toString/x" },
    ],
  ])("may have the file %j", (file, part) => {
    expect(read(user({ type: "file", ...file })).input).toEqual([part]);
  });

  it("may not have a file by an id, and must end with the user", () => {
    const file = { type: "file", mediaType: "image/png", data: { type: "reference", id: "x" } };

    expect(() => read(user(file))).toThrow(
      expect.objectContaining({
        code: "unsupported_media_type",
        message: "An agent takes no file by its vendor's id.",
      }),
    );
    for (const prompt of [[], [{ role: "assistant", content: [text("a")] }]]) {
      expect(() => read(...prompt)).toThrow(
        expect.objectContaining({
          code: "invalid_request",
          message: "The prompt must end with a message of the user.",
        }),
      );
    }
  });
});

describe("the options of a run", () => {
  const history = [{ role: "user" as const, content: "a" }];
  const options = (fields: object, before: Parameters<typeof toRunOptions>[1] = history) =>
    toRunOptions({ prompt: [], ...fields }, before);

  it.each<[object, object]>([
    [{}, {}],
    [
      { temperature: 0, topP: 1, maxOutputTokens: 5, stopSequences: ["é"], seed: 0 },
      { temperature: 0, topP: 1, maxTokens: 5, stop: ["é"], seed: 0 },
    ],
    [{ stopSequences: [] }, {}],
    [{ responseFormat: { type: "text" } }, {}],
    [{ responseFormat: { type: "json" } }, { responseFormat: "json" }],
    [
      { responseFormat: { type: "json", schema: { a: 1 } } },
      { responseFormat: { type: "json_schema", schema: { a: 1 } } },
    ],
    [
      { responseFormat: { type: "json", schema: {}, name: "é" } },
      { responseFormat: { type: "json_schema", schema: {}, name: "é" } },
    ],
    [{ reasoning: "none" }, { reasoning: { enabled: false } }],
    [{ reasoning: "max" }, { reasoning: { enabled: true, effort: "xhigh" } }],
    [{ reasoning: "provider-default" }, {}],
    ...["minimal", "low", "medium", "high", "xhigh"].map((effort): [object, object] => [
      { reasoning: effort },
      { reasoning: { enabled: true, effort } },
    ]),
  ])("of a call with %j has the settings %j", (fields, settings) => {
    expect(options(fields)).toEqual([{ modelOptions: settings, signal: undefined, messages: history }, []]);
  });

  it("warn of settings and tools that an agent does not take", () => {
    const [, warnings] = options({ topK: 0, presencePenalty: 0, frequencyPenalty: 0, tools: [{}] });

    expect(warnings).toEqual([
      { type: "unsupported", feature: "topK" },
      { type: "unsupported", feature: "presencePenalty" },
      { type: "unsupported", feature: "frequencyPenalty" },
      { type: "unsupported", feature: "tools", details: "The agent has its own tools and executes them." },
    ]);
    expect(options({ tools: [] })[1]).toEqual([]);
  });

  it("have the session, the user and the metadata of the call, and then no history", () => {
    const { signal } = new AbortController();
    const troupe = { sessionId: "s", userId: "u", metadata: { a: "é" }, other: 1 };
    const system = [{ role: "system" as const, content: "x" }, ...history];
    const [opts, warnings] = options({ providerOptions: { troupe }, abortSignal: signal }, system);

    expect(opts).toEqual({ modelOptions: {}, signal, sessionId: "s", userId: "u", metadata: { a: "é" } });
    expect(warnings).toEqual([
      {
        type: "unsupported",
        feature: "system",
        details: "The session has its own history: only the last message is used.",
      },
    ]);
    expect(options({ providerOptions: { troupe } })[1]).toEqual([]);
    expect(options({}, system)[1]).toEqual([]);
    expect(options({ providerOptions: { troupe: { sessionId: "", userId: 7 } } })[0]).toHaveProperty("messages");
  });
});
