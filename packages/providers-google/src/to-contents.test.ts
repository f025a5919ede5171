import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
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
const called = (name = "get_weather") => ({ functionCall: { name, args: { city: "Oslo" } } });
const unsigned = { thoughtSignature: "skip_thought_signature_validator" };
const answered = (output: string, name = "get_weather") => ({ functionResponse: { name, response: { output } } });

/** The contents that a strict vendor gets. */
async function sent(messages: ChatMessage[], modelId?: string): Promise<unknown> {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  await connect(modelId).generate(messages);
  return bodiesOf(vendor)[0]?.["contents"];
}

describe("the history", () => {
  it("has all results of an answer in the content after it, in the order of the calls, before what is said then", async () => {
    const contents = await sent([
      ask,
      calls(call("a"), call("b", "now")),
      result("b", "noon"),
      result("a"),
      { role: "user", content: "And now?" },
    ]);

    expect(contents).toEqual([
      { role: "user", parts: [{ text: "Umbrella?" }] },
      { role: "model", parts: [{ ...called(), ...unsigned }, called("now")] },
      { role: "user", parts: [answered("rain"), answered("noon", "now"), { text: "And now?" }] },
    ]);
  });

  it("knows nothing of signatures where the model does not", async () => {
    const contents = await sent([ask, calls(call("a")), result("a")], "gemini-2.5-flash");

    expect(contents).toMatchObject([{}, { parts: [called()] }, { parts: [answered("rain")] }]);
    expect(JSON.stringify(contents)).not.toContain("thoughtSignature");
  });

  it("gives a result to calls that have none, and drops results without a call", async () => {
    const contents = await sent([
      ask,
      calls(call("a")),
      { role: "user", content: "Well?" },
      result("a"),
      result("a", "again"),
      result("x"),
    ]);

    expect(contents).toMatchObject([{}, {}, { parts: [answered("rain"), { text: "Well?" }] }]);
    expect(await sent([ask, calls(call("a"))])).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { name: "get_weather", response: { error: "not executed" } } }] },
    ]);
  });

  it("keeps the results of calls apart that go by one id", async () => {
    const twice = calls(call("a"), call("a", "now"));
    const contents = await sent([ask, twice, result("a", "first"), result("a", "second")]);

    expect(contents).toMatchObject([{}, {}, { parts: [answered("first"), answered("second", "now")] }]);
  });

  it.each([
    ["a/b c", "a_b_c"],
    ["1st", "_1st"],
    ["", "_"],
    ["x".repeat(200), "x".repeat(128)],
    ["a.b:c-d", "a.b:c-d"],
  ])("names the tool %j of another vendor's history %j", async (name, legal) => {
    const contents = await sent([ask, calls(call("a", name)), result("a")]);

    expect(contents).toMatchObject([{}, { parts: [called(legal)] }, { parts: [answered("rain", legal)] }]);
  });

  it("begins with the user, and ends with the user", async () => {
    const contents = await sent([calls(call("a")), result("a"), ask, { role: "assistant", content: "Take one. " }]);

    expect(contents).toEqual([
      { role: "user", parts: [{ text: "Umbrella?" }] },
      { role: "model", parts: [{ text: "Take one. " }] },
      { role: "user", parts: [{ text: "Continue." }] },
    ]);
  });

  it("says nothing that is empty", async () => {
    const contents = await sent([
      { role: "system", content: "" },
      {
        role: "user",
        content: [
          { type: "text", text: "" },
          { type: "text", text: "Umbrella?" },
        ],
      },
      { role: "assistant", content: "" },
      calls(call("a")),
      result("a", ""),
    ]);

    expect(contents).toMatchObject([
      { parts: [{ text: "Umbrella?" }] },
      { parts: [called()] },
      { parts: [answered("")] },
    ]);
  });

  it("joins what one side says in a row", async () => {
    const contents = await sent([
      ask,
      ask,
      { role: "assistant", content: "One." },
      { role: "assistant", content: "Two." },
      calls(call("a")),
      result("a"),
    ]);

    expect(contents).toMatchObject([
      { parts: [{ text: "Umbrella?" }, { text: "Umbrella?" }] },
      { parts: [{ text: "One." }, { text: "Two." }, called()] },
      { role: "user" },
    ]);
  });

  it("is refused before the request when it has no user message", async () => {
    const { vendor, connect } = await startVendor();

    await expect(connect().generate([{ role: "system", content: "Be short." }])).rejects.toMatchObject({
      code: "invalid_request",
      message: "google needs at least one user message that is not empty.",
    });
    expect(vendor.exchanges).toEqual([]);
  });
});

describe("the answers of a run", () => {
  const tools = [{ name: "get_weather", description: "", parameters: { type: "object", properties: {} } }];
  const options: ModelOptions = { tools, reasoning: { enabled: true } };
  const look = { name: "get_weather", arguments: { city: "Oslo" } };

  /** Does as a run does: asks, appends the answer with its state, and one result for each call. */
  async function turn(model: ModelProvider, messages: readonly ModelMessage[]): Promise<ModelMessage[]> {
    const { text, toolCalls, vendorState } = await model.generate(messages, options);
    const answer: ChatMessage = { role: "assistant", content: text === "" ? null : text, toolCalls };
    return [...messages, { ...answer, ...(vendorState && { vendorState }) }, ...toolCalls.map(({ id }) => result(id))];
  }

  it("go round as they were signed, under the vendor's own ids", async () => {
    const { vendor, connect } = await startVendor();
    const toolCalls = [
      { ...look, id: "fc-1" },
      { ...look, id: "fc-2" },
    ];
    vendor.say(
      { thinking: "Which city?", text: "Let me see.", toolCalls },
      { toolCalls: [{ ...look, id: "fc-1" }] },
      "Yes.",
    );
    const model = connect();

    await turn(model, await turn(model, await turn(model, [ask])));

    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    const signature = expect.stringMatching(/^[\w+/=]+$/) as unknown;
    const sentCall = (id: string) => ({ functionCall: { id, name: "get_weather", args: { city: "Oslo" } } });
    const sentResult = (id: string) => ({
      functionResponse: { id, name: "get_weather", response: { output: "rain" } },
    });
    expect(bodiesOf(vendor)[2]?.["contents"]).toEqual([
      { role: "user", parts: [{ text: "Umbrella?" }] },
      {
        role: "model",
        parts: [
          { text: "Which city?", thought: true },
          { text: "Let me see." },
          { ...sentCall("fc-1"), thoughtSignature: signature },
          sentCall("fc-2"),
        ],
      },
      { role: "user", parts: [sentResult("fc-1"), sentResult("fc-2")] },
      { role: "model", parts: [{ ...sentCall("fc-1"), thoughtSignature: signature }] },
      { role: "user", parts: [sentResult("fc-1")] },
    ]);
    vendor.assertDone();
  });

  it("keep the vendor's ids, whatever ids their calls go by here", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say(
      {
        toolCalls: [
          { ...look, id: "1" },
          { ...look, id: "2" },
        ],
      },
      "Yes.",
    );
    const [, answer] = await turn(connect(), [ask]);
    const renamed = { ...answer, toolCalls: [call("1_2"), call("2_2")] } as ChatMessage;

    await connect().generate([ask, renamed, result("2_2", "sun"), result("1_2")], options);

    expect(bodiesOf(vendor)[1]?.["contents"]).toMatchObject([
      {},
      { parts: [{ functionCall: { id: "1" } }, { functionCall: { id: "2" } }] },
      {
        parts: [
          { functionResponse: { id: "1", response: { output: "rain" } } },
          { functionResponse: { id: "2", response: { output: "sun" } } },
        ],
      },
    ]);
    vendor.assertDone();
  });

  it("keep apart the words that are signed", async () => {
    const { vendor, connect } = await startVendor();
    const text = (parts: object[]) => `data: ${JSON.stringify({ candidates: [{ content: { parts } }] })}\n\n`;
    const end = 'data: {"candidates":[{"finishReason":"STOP"}]}\n\n';
    const frames = [
      text([{ text: "a" }, { text: "b" }]),
      text([{ text: "c", thoughtSignature: "S1" }]),
      text([{ text: "d" }, { text: "" }, { text: "e", thought: true }, { text: "f", thought: true }]),
      text([{ text: "", thoughtSignature: "S2" }, { text: "" }]),
      end,
    ];
    vendor.plan({ raw: { status: 200, headers: {}, frames } }).say("Yes.");
    const { collectResponse } = await import("@troupe/core/provider");
    const { text: said, vendorState } = await collectResponse(connect().stream([ask]));

    await connect().generate([ask, { role: "assistant", content: said, ...(vendorState && { vendorState }) }, ask]);

    expect(bodiesOf(vendor)[1]?.["contents"]).toMatchObject([
      {},
      {
        parts: [
          { text: "ab" },
          { text: "c", thoughtSignature: "S1" },
          { text: "d" },
          { text: "ef", thought: true },
          { text: "", thoughtSignature: "S2" },
        ],
      },
      {},
    ]);
  });

  it("are spelled anew when another model left them, or when the calls are no longer the same", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say({ thinking: "Which city?", toolCalls: [look] }, "Yes.", "Yes.");
    const [, answer, told] = await turn(connect(), [ask]);
    const history = [ask, answer, told].filter((message) => message !== undefined);

    await connect("gemini-3.1-pro").generate(history, { tools });
    await connect().generate(
      history.map((message) => (message === answer ? { ...message, toolCalls: [call("other", "now")] } : message)),
      { tools },
    );

    for (const { contents } of bodiesOf(vendor).slice(1)) {
      expect(contents).toMatchObject([{}, { parts: [unsigned] }, {}]);
      expect(JSON.stringify(contents)).not.toContain("Which city?");
    }
    vendor.assertDone();
  });
});
