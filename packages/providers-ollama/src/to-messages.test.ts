import { createLogger } from "@troupe/core";
import type { ChatMessage } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";

const ask: ChatMessage = { role: "user", content: "Umbrella?" };
const call = (id: string, name = "get_weather") => ({ id, name, arguments: { city: "Oslo" } });
const calls = (...toolCalls: ReturnType<typeof call>[]): ChatMessage => ({
  role: "assistant",
  content: null,
  toolCalls,
});
const result = (toolCallId: string, content = "rain"): ChatMessage => ({ role: "tool", toolCallId, content });

/** The messages that a strict server gets, and what is said to be left out. */
async function sent(...messages: ModelMessage[]) {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
  await connect(undefined, { logger }).generate(messages);
  return { messages: bodiesOf(vendor)[0]?.["messages"], lines };
}

describe("the history", () => {
  it("has each result behind its calls, known by id and by name", async () => {
    const { messages, lines } = await sent(
      ask,
      calls(call("a"), call("b", "get_time")),
      result("b", "noon"),
      result("a"),
      { role: "assistant", content: "Yes." },
      { role: "user", content: "And now?" },
    );

    expect(messages).toEqual([
      { role: "user", content: "Umbrella?" },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "a", function: { name: "get_weather", arguments: { city: "Oslo" } } },
          { id: "b", function: { name: "get_time", arguments: { city: "Oslo" } } },
        ],
      },
      { role: "tool", content: "rain", tool_name: "get_weather", tool_call_id: "a" },
      { role: "tool", content: "noon", tool_name: "get_time", tool_call_id: "b" },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "And now?" },
    ]);
    expect(lines).toEqual([]);
  });

  it("gives a result to calls that have none, and drops results without a call", async () => {
    const { messages, lines } = await sent(result("x"), ask, calls(call("a")), { role: "user", content: "Well?" });

    expect(messages).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "tool", content: "not executed", tool_call_id: "a" },
      { role: "user", content: "Well?" },
    ]);
    expect(lines).toEqual([expect.stringContaining("the result of a tool is left out")]);
  });

  it("moves a result that came late to its call, though no further than to the next answer", async () => {
    const late = await sent(ask, calls(call("a")), { role: "user", content: "Well?" }, result("a"));
    const tooLate = await sent(ask, calls(call("a")), { role: "assistant", content: "So." }, result("a"));

    expect(late.messages).toMatchObject([{}, {}, { role: "tool", content: "rain" }, { content: "Well?" }]);
    expect(tooLate.messages).toMatchObject([{}, {}, { role: "tool", content: "not executed" }, { content: "So." }]);
  });

  it("answers two calls of one id each with a result of its own", async () => {
    const { messages } = await sent(ask, calls(call("a"), call("a")), result("a", "sun"), result("a", "rain"));

    expect(messages).toMatchObject([{}, {}, { content: "sun" }, { content: "rain" }]);
  });

  it("has what the system says where it was said, and nothing that is empty", async () => {
    const { messages } = await sent(
      { role: "system", content: "Be short." },
      { role: "system", content: "" },
      ask,
      { role: "assistant", content: null },
      { role: "system", content: "It is evening." },
      {
        role: "user",
        content: [
          { type: "text", text: "And" },
          { type: "text", text: "now?" },
        ],
      },
    );

    expect(messages).toEqual([
      { role: "system", content: "Be short." },
      { role: "user", content: "Umbrella?" },
      { role: "system", content: "It is evening." },
      { role: "user", content: "And\nnow?" },
    ]);
  });

  it("knows no names", async () => {
    const { messages, lines } = await sent({ ...ask, name: "Ada" });

    expect(messages).toEqual([ask]);
    expect(lines).toEqual([expect.stringContaining("name is left out")]);
  });

  it.each<[string, ChatMessage[]]>([
    ["nothing", []],
    ["empty words", [{ role: "user", content: "" }]],
    ["a result without a call", [result("a")]],
  ])("is an invalid request when it is %s, which the server would answer with nothing", async (_, messages) => {
    const { vendor, connect } = await startVendor();

    await expect(connect().generate(messages)).rejects.toMatchObject({ code: "invalid_request" });
    expect(vendor.exchanges).toEqual([]);
  });

  it("gives the model back what it thought before its calls, and no other model", async () => {
    const state = { providerId: "ollama", modelId: "qwen3:8b", items: { thinking: "Hm." } };
    const own = await sent(ask, { ...calls(call("a")), vendorState: state }, result("a"));
    const other = await sent(ask, { ...calls(call("a")), vendorState: { ...state, modelId: "other" } }, result("a"));

    expect(own.messages).toMatchObject([{}, { role: "assistant", thinking: "Hm." }, {}]);
    expect((other.messages as object[])[1]).not.toHaveProperty("thinking");
  });
});
