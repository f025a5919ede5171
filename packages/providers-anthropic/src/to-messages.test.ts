import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import type { ModelCallOptions, ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";

const ask: ChatMessage = { role: "user", content: "Umbrella?" };
const said = (text: string) => ({ type: "text", text });
const call = (id: string, name = "get_weather") => ({ id, name, arguments: { city: "Oslo" } });
const calls = (...toolCalls: ReturnType<typeof call>[]): ChatMessage => ({
  role: "assistant",
  content: null,
  toolCalls,
});
const result = (toolCallId: string, content = "rain"): ChatMessage => ({ role: "tool", toolCallId, content });

/** The messages that a strict vendor gets. */
async function sent(...messages: ChatMessage[]): Promise<unknown> {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  await connect(undefined, { promptCache: false }).generate(messages);
  return bodiesOf(vendor)[0]?.["messages"];
}

describe("the history", () => {
  it("has all results of an answer in the message after it, before what is said then", async () => {
    const messages = await sent(ask, calls(call("a"), call("b")), result("b", "sun"), result("a"), {
      role: "user",
      content: "And now?",
    });

    expect(messages).toEqual([
      { role: "user", content: [said("Umbrella?")] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "get_weather", input: { city: "Oslo" } },
          { type: "tool_use", id: "b", name: "get_weather", input: { city: "Oslo" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "b", content: "sun" },
          { type: "tool_result", tool_use_id: "a", content: "rain" },
          said("And now?"),
        ],
      },
    ]);
  });

  it("gives a call that has no result one before what the user said then, also beside results of other calls", async () => {
    const later: ChatMessage = { role: "user", content: "And now?" };
    const missing = { type: "tool_result", tool_use_id: "b", content: "not executed", is_error: true };
    const messages = (await sent(ask, calls(call("a"), call("b")), later, result("a"))) as unknown[];

    expect(messages.at(-1)).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: "rain" }, missing, said("And now?")],
    });
  });

  it("knows the calls of an answer that follows another one", async () => {
    const first: ChatMessage = { role: "assistant", content: "Let me look." };
    const messages = (await sent(ask, first, calls(call("a")), result("a"))) as unknown[];

    expect(messages).toEqual([
      { role: "user", content: [said("Umbrella?")] },
      {
        role: "assistant",
        content: [said("Let me look."), { type: "tool_use", id: "a", name: "get_weather", input: { city: "Oslo" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "rain" }] },
    ]);
  });

  it("gives a result to calls that have none, and drops results without a call", async () => {
    const messages = await sent(ask, calls(call("a")), { role: "user", content: "Well?" }, result("a"), result("x"));

    expect(messages).toMatchObject([
      {},
      {},
      {
        content: [{ type: "tool_result", tool_use_id: "a", content: "rain" }, said("Well?")],
      },
    ]);
    expect(await sent(ask, calls(call("a")))).toMatchObject([
      {},
      {},
      { content: [{ type: "tool_result", tool_use_id: "a", content: "not executed", is_error: true }] },
    ]);
  });

  it("gives calls ids that the vendor takes, each only once", async () => {
    const messages = await sent(
      ask,
      calls(call("call:1"), call("call:1")),
      result("call:1", "first"),
      result("call:1", "second"),
      calls(call("call_1", "a.b")),
      result("call_1", "third"),
    );

    expect(messages).toMatchObject([
      {},
      { content: [{ id: "call_1" }, { id: "call_1_2" }] },
      {
        content: [
          { tool_use_id: "call_1", content: "first" },
          { tool_use_id: "call_1_2", content: "second" },
        ],
      },
      { content: [{ id: "call_1_3", name: "a_b" }] },
      { content: [{ tool_use_id: "call_1_3", content: "third" }] },
    ]);
  });

  it("begins with the user, and ends with the user", async () => {
    const messages = await sent(calls(call("a")), result("a"), ask, { role: "assistant", content: "Take one. " });

    expect(messages).toEqual([
      { role: "user", content: [said("Umbrella?")] },
      { role: "assistant", content: [said("Take one. ")] },
      { role: "user", content: [said("Continue.")] },
    ]);
  });

  it("says nothing that is blank", async () => {
    const messages = await sent(
      { role: "system", content: " " },
      { role: "user", content: [said("\n"), said("Umbrella?")] as ChatMessage["content"] },
      { role: "assistant", content: "" },
      calls(call("a")),
      result("a", ""),
    );

    expect(messages).toMatchObject([
      { role: "user", content: [said("Umbrella?")] },
      { role: "assistant", content: [{ type: "tool_use" }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
    ]);
  });

  it.each<[string, ChatMessage["content"], object]>([
    ["a string unchanged", " rain\n", { content: " rain\n" }],
    ["an empty string as no content", "", {}],
    ["a string of blanks as no content", " \n", {}],
    ["null as no content", null, {}],
    ["parts as blocks", [{ type: "text", text: "rain" }], { content: [said("rain")] }],
    ["no parts as no content", [], {}],
    ["parts of blanks as no content", [{ type: "text", text: " " }], {}],
    [
      "parts without those that are blank",
      [
        { type: "text", text: "\n" },
        { type: "text", text: "rain" },
      ],
      { content: [said("rain")] },
    ],
  ])("has the result of a tool, %s", async (_kind, content, sentContent) => {
    const messages = (await sent(ask, calls(call("a")), { role: "tool", toolCallId: "a", content })) as unknown[];

    expect(messages.at(-1)).toStrictEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", ...sentContent }],
    });
  });

  it("reports a result without a call, and an answer before the user's first message, and sends neither", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    const omitted: unknown[] = [];
    const options: ModelCallOptions = { onOmitted: ({ what, reason }) => void omitted.push([what, reason]) };
    const nameless: ChatMessage = { role: "tool", content: "rain" };
    await connect(undefined, { promptCache: false }).generate(
      [{ role: "assistant", content: "Hello." }, ask, calls(call("x")), result("y"), nameless],
      options,
    );

    expect(omitted).toEqual([
      ["an answer", "a conversation begins with the user"],
      ["the result of a tool", "no call right before it has its id"],
      ["the result of a tool", "no call right before it has its id"],
    ]);
    expect(bodiesOf(vendor)[0]?.["messages"]).toEqual([
      { role: "user", content: [said("Umbrella?")] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "x", name: "get_weather", input: { city: "Oslo" } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "x", content: "not executed", is_error: true }],
      },
    ]);
  });

  it("sends no message for an answer of blanks", async () => {
    const messages = await sent(ask, { role: "assistant", content: " " }, ask);

    expect(JSON.stringify(messages)).not.toContain("assistant");
    expect(JSON.stringify(messages)).not.toContain("[]");
  });

  it("joins instructions, and answers that follow each other", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    await connect(undefined, { promptCache: false }).generate([
      { role: "system", content: "Be short." },
      ask,
      { role: "assistant", content: "One." },
      { role: "assistant", content: "Two." },
      { role: "system", content: "Be kind." },
      ask,
    ]);

    const [body] = bodiesOf(vendor);
    expect(body?.["system"]).toBe("Be short.\n\nBe kind.");
    expect(body?.["messages"]).toMatchObject([{}, { content: [said("One."), said("Two.")] }, { role: "user" }]);
  });

  it("is refused before the request when it has no user message", async () => {
    const { vendor, connect } = await startVendor();

    await expect(
      connect(undefined, { promptCache: false }).generate([{ role: "system", content: "Be short." }]),
    ).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(vendor.exchanges).toEqual([]);
  });
});

describe.each(["claude-opus-5-5", "claude-haiku-4-5"])("the thinking of %s", (modelId) => {
  const tools = [{ name: "get_weather", description: "", parameters: { type: "object", properties: {} } }];
  const options: ModelOptions = { tools, reasoning: { enabled: true } };

  /** Does as a run does: asks, appends the answer with its state, and one result for each call. */
  async function turn(model: ModelProvider, messages: readonly ModelMessage[]): Promise<ModelMessage[]> {
    const { text, toolCalls, vendorState } = await model.generate(messages, options);
    const answer: ChatMessage = { role: "assistant", content: text === "" ? null : text, toolCalls };
    return [...messages, { ...answer, ...(vendorState && { vendorState }) }, ...toolCalls.map(({ id }) => result(id))];
  }

  it("goes round within a run, as it was signed", async () => {
    const { vendor, connect } = await startVendor();
    const model = connect(modelId);
    const toolCalls = [{ name: "get_weather", arguments: { city: "Oslo" } }];
    vendor.say({ thinking: "Which city?", text: "Let me see.", toolCalls }, { thinking: "Both.", toolCalls }, "Yes.");

    await turn(model, await turn(model, await turn(model, [ask])));

    expect(vendor.exchanges.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
    expect(bodiesOf(vendor)[2]?.["messages"]).toMatchObject([
      { role: "user" },
      { content: [{ type: "thinking", thinking: "Which city?" }, said("Let me see."), { type: "tool_use" }] },
      { content: [{ type: "tool_result" }] },
      {
        content: [
          { type: "thinking", thinking: "Both." },
          { type: "tool_use", caller: { type: "direct" } },
        ],
      },
      { content: [{ type: "tool_result" }] },
    ]);
    vendor.assertDone();
  });

  it("is not sent when another model left it, or when the calls are no longer the same", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say({ thinking: "Which city?", toolCalls: [{ name: "get_weather", arguments: {} }] }, "Yes.", "Yes.");
    const [, answer, answered] = await turn(connect(modelId), [ask]);
    const history = [ask, answer, answered].filter((message) => message !== undefined);

    await connect("claude-opus-4-8").generate(history, { tools });
    await connect(modelId).generate(
      history.map((message) => (message === answer ? { ...message, toolCalls: [call("other")] } : message)),
      { tools },
    );

    expect(JSON.stringify(bodiesOf(vendor).slice(1))).not.toContain("signature");
    vendor.assertDone();
  });
});
