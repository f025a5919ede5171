import type { ChatMessage, ModelOptions } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { OfflineModel } from "./offline-model.ts";
import { asking, tools } from "./test/request.ts";

const model = new OfflineModel({ wordMs: 0 });

async function said(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<string> {
  return (await model.generate(messages, options)).text;
}

async function streamed(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  for await (const chunk of model.stream(messages, options)) chunks.push(chunk);
  return chunks;
}

/** A conversation in which the tools that were asked for have answered. */
function answered(request: string, ...results: [tool: string, text: string][]): ChatMessage[] {
  const toolCalls = results.map(([name], index) => ({ id: String(index), name, arguments: {} }));
  const answers = results.map(([, content], index): ChatMessage => ({
    role: "tool",
    toolCallId: String(index),
    content,
  }));
  return [...asking(request), { role: "assistant", content: null, toolCalls }, ...answers];
}

afterEach(() => {
  vi.useRealTimers();
});

describe("OfflineModel", () => {
  it("says that it is no language model when no pattern fits", async () => {
    const text = await said(asking("Why is the sky blue?"), { tools });

    expect(text).toContain("I am the demo's offline model");
    expect(text).toContain("get_weather, get_time, calculate");
  });

  it("answers with the results of tools", async () => {
    const messages = answered("Weather in Oslo?", ["get_weather", "Rain."], ["get_time", "Noon."]);

    expect(await said(messages, { tools })).toBe("Rain. Noon.");
  });

  it("names the team member that gave a result", async () => {
    expect(await said(answered("Hm?", ["delegate_to_meteorologist", "Rain."]))).toBe("The meteorologist says: Rain.");
  });

  it("adds nothing of its own to what tools have found", async () => {
    const question = "Do I need an umbrella in Oslo?";

    expect(await said(answered(question, ["get_weather", "It rains."]))).toBe("It rains.");
    expect(await said(answered(question, ["get_weather", "Sun."]))).toBe("Sun.");
    expect(await said(answered(question, ["get_weather", "No idea."]))).toBe("No idea.");
  });

  it("asks for a required argument that the request does not hold", async () => {
    expect(await said(asking("What is the weather like?"), { tools })).toBe("To use get_weather, I need its city.");
  });

  it("remembers a name from an earlier request", async () => {
    const earlier: ChatMessage[] = [
      ...asking("Hi, I'm Ada."),
      { role: "assistant", content: "Nice to meet you, Ada." },
    ];

    expect(await said([...earlier, ...asking("What is my name?")])).toBe("Your name is Ada.");
    expect(await said(asking("Do you know my name?"))).toBe("You have not told me your name in this session.");
    expect(await said([...earlier, ...asking("What did I say?")])).toBe(`You said: "Hi, I'm Ada.".`);
  });

  it("remembers the last of several names", async () => {
    const messages = [...asking("I am Ada."), ...asking("Call me Grace."), ...asking("What is my name?")];

    expect(await said(messages)).toBe("Your name is Grace.");
  });

  it("does not repeat the results of an earlier request", async () => {
    const before = answered("Weather in Oslo?", ["get_weather", "Rain."]);

    expect(await said([...before, { role: "assistant", content: "Rain." }, ...asking("Thanks!")])).toBe(
      "You are welcome.",
    );
  });

  it("answers each part of a request", async () => {
    expect(await said(asking("My name is Ada Lovelace. Count to 3!"))).toBe("Nice to meet you, Ada Lovelace. 1 2 3");
  });

  it("ignores the rest of a very long request, on which a pattern would take minutes", async () => {
    const text = await said(asking(`Hello! ${"(".repeat(1_000_000)} Count to 3.`), { tools });

    expect(text).toBe("Hello!");
  });

  it("describes attachments and says that it cannot read them", async () => {
    const content: ChatMessage["content"] = [
      { type: "text", text: "What is this?" },
      { type: "image", data: "iVBORw0KGgo=" },
      { type: "audio", data: "https://example.com/a.mp3", mimeType: "audio/mpeg" },
      { type: "file", data: "aGVsbG8=", mimeType: "text/plain", filename: "a.txt" },
      { type: "file", data: "!", mimeType: "text/plain" },
    ];

    expect(await said([{ role: "user", content }])).toBe(
      'I received an image (image/png, 8 bytes), an audio (audio/mpeg, at https://example.com/a.mp3), a file named "a.txt" (text/plain, 5 bytes), a file (its data is neither base64 nor a data: or http(s) URL). I cannot read attachments.',
    );
  });

  it("answers in JSON when the call asks for a response format", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const messages = asking("Hello from me in Oslo");

    expect(await said(messages, { responseFormat: { type: "json_schema", schema } })).toBe('{"city":"Oslo"}');
    expect(await said(messages, { responseFormat: "json" })).toBe('{"answer":"Hello!"}');
  });

  it("ends before a stop sequence, and after maxTokens", async () => {
    expect(await model.generate(asking("Count to 9"), { stop: ["7", "5"] })).toMatchObject({
      text: "1 2 3 4 ",
      finishReason: "stop",
    });
    expect(await model.generate(asking("Count to 9"), { maxTokens: 3 })).toMatchObject({
      text: "1 2 3",
      finishReason: "length",
      usage: { completionTokens: 3 },
    });
  });
});

describe("OfflineModel's tool calls", () => {
  const callsOf = async (options: ModelOptions, request = "What is the weather in Oslo?") =>
    (await model.generate(asking(request), { tools, ...options })).toolCalls;

  it("are those that fit the request, each with its own id", async () => {
    const [first, second] = await callsOf({}, "What is the weather in Oslo and Bergen?");

    expect([first, second]).toMatchObject([
      { name: "get_weather", arguments: { city: "Oslo" } },
      { name: "get_weather", arguments: { city: "Bergen" } },
    ]);
    expect(first?.id).not.toBe(second?.id);
  });

  it("are none when toolChoice is none", async () => {
    expect(await callsOf({ toolChoice: "none" })).toEqual([]);
  });

  it("are of the named tool when toolChoice names one", async () => {
    const calls = await callsOf({ toolChoice: { tool: "get_weather" } }, "Hello");

    expect(calls.map(({ name }) => name)).toEqual(["get_weather"]);
  });

  it("include the first tool when toolChoice is required and none fits", async () => {
    expect(await callsOf({ toolChoice: "required" }, "Hello")).toMatchObject([
      { name: "get_weather", arguments: { city: "made up (city)" } },
    ]);
  });

  it("are none once the tools have answered", async () => {
    expect(await model.generate(answered("Weather in Oslo?", ["get_weather", "Rain."]), { tools })).toMatchObject({
      toolCalls: [],
      finishReason: "stop",
    });
  });
});

describe("OfflineModel's usage", () => {
  it("counts a token for each word, number, punctuation mark and attachment", async () => {
    const content: ChatMessage["content"] = [
      { type: "text", text: "Count to 3" },
      { type: "image", data: "iVBORw0KGgo=" },
    ];

    const { usage } = await model.generate(
      [
        { role: "system", content: "Be kind." },
        { role: "user", content },
      ],
      {
        maxTokens: 3,
      },
    );

    expect(usage).toEqual({ promptTokens: 3 + 3 + 1, completionTokens: 3, totalTokens: 10 });
  });

  it("counts tools and earlier tool calls", async () => {
    const cost = async (messages: ChatMessage[], options: ModelOptions = {}) =>
      (await model.generate(messages, { ...options, toolChoice: "none" })).usage.promptTokens;
    const [bare, found] = [asking("Weather in Oslo?"), answered("Weather in Oslo?", ["get_weather", "Rain."])];

    expect(await cost(bare, { tools })).toBeGreaterThan((await cost(bare)) + 20);
    expect(await cost(found)).toBeGreaterThan((await cost(bare)) + 5);
  });
});

describe("OfflineModel's stream", () => {
  it("yields the text word by word", async () => {
    const chunks = await streamed(asking("Count to 5"));

    expect(chunks.slice(0, -1)).toEqual(["1", " 2", " 3", " 4", " 5"].map((text) => ({ type: "text", text })));
  });

  it("yields what generate returns", async () => {
    for (const request of ["Weather in Oslo, please: what is the weather in Oslo?", "Hello", "What is 1 + 1?"]) {
      const { toolCalls, ...rest } = await collectResponse(model.stream(asking(request), { tools }));
      const once = await model.generate(asking(request), { tools });

      expect({ ...once, toolCalls: [] }).toEqual({ ...rest, toolCalls: [] });
      expect(once.toolCalls.map((call) => call.arguments)).toEqual(toolCalls.map((call) => call.arguments));
    }
  });

  it("throws when it is aborted after its last word", async () => {
    const abort = new AbortController();
    const chunks = model.stream(asking("Hello"), { signal: abort.signal })[Symbol.asyncIterator]();
    await chunks.next();
    abort.abort();

    await expect(chunks.next()).rejects.toMatchObject({ code: "cancelled" });
  });

  it("waits wordMs before each word", async () => {
    vi.useFakeTimers();
    const chunks = new OfflineModel({ wordMs: 40 }).stream(asking("Count to 2"))[Symbol.asyncIterator]();
    let spoken = 0;
    void chunks.next().then(() => (spoken += 1));

    await vi.advanceTimersByTimeAsync(39);
    expect(spoken).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(spoken).toBe(1);
  });
});
