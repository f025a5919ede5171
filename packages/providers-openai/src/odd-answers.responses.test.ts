import { describe, expect, it } from "vitest";
import { modelOf, question, startVendor, streamOf, wholeOf } from "../test/ask.ts";

describe("a stream of Responses", () => {
  const completed = { type: "response.completed", response: { status: "completed", output: [] } };
  const item = (index: number, fields: object) => ({ output_index: index, item: fields });

  it("is read without the names of its events, and without pieces of arguments", async () => {
    const call = { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' };
    const { toolCalls } = await streamOf(
      [
        { type: "response.created", response: {} },
        { type: "response.output_item.added", ...item(0, { ...call, arguments: "" }) },
        { type: "response.output_item.done", ...item(0, call) },
        { type: "response.output_item.done", ...item(1, { ...call, call_id: "", name: "g" }) },
        { type: "response.output_item.added", ...item(2, { ...call, call_id: "c", name: "h" }) },
        { type: "response.something.new" },
        completed,
        "[DONE]",
      ],
      "responses",
    );

    expect(toolCalls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ["f", { x: 1 }],
      ["g", { x: 1 }],
      ["h", { x: 1 }],
    ]);
    expect(toolCalls[1]?.id).toMatch(/^call_/);
  });

  const words = (phase: string, text: string) => ({
    type: "message",
    phase,
    content: [{ type: "output_text", text }],
  });

  it("keeps what is said before an answer of JSON out of it", async () => {
    const events = ["commentary", "final_answer"].flatMap((phase, index) => [
      { type: "response.output_item.added", ...item(index, { type: "message", phase }) },
      { type: "response.output_text.delta", output_index: index, delta: index === 0 ? "Let me see. " : "{}" },
    ]);
    const output = [words("commentary", "Let me see. "), words("final_answer", "{}")];

    const expected = { text: "{}", thinking: "Let me see. " };
    expect(await streamOf([...events, completed], "responses")).toMatchObject(expected);
    expect(await wholeOf({ status: "completed", output }, "responses")).toMatchObject(expected);
  });

  it("parts the paragraphs of its reasoning as a whole answer does", async () => {
    const summary = (index: number, delta: string) => [
      { type: "response.reasoning_summary_part.added", summary_index: index },
      { type: "response.reasoning_summary_text.delta", summary_index: index, delta },
    ];
    const reasoning = { type: "reasoning", summary: [{ text: "One." }, { text: "Two." }] };

    const streamed = await streamOf([...summary(0, "One."), ...summary(1, "Two."), completed], "responses");
    expect(streamed.thinking).toBe("One.\n\nTwo.");
    expect((await wholeOf({ status: "completed", output: [reasoning] }, "responses")).thinking).toBe("One.\n\nTwo.");
  });

  it("parts a second item of reasoning from the first, streamed and whole [model-calls.second-pieces]", async () => {
    const part = (index: number, delta: string) => [
      { type: "response.reasoning_summary_part.added", output_index: index, summary_index: 0 },
      { type: "response.reasoning_summary_text.delta", output_index: index, summary_index: 0, delta },
    ];
    const output = ["One.", "Two."].map((text) => ({ type: "reasoning", summary: [{ text }] }));

    expect((await streamOf([...part(0, "One."), ...part(1, "Two."), completed], "responses")).thinking).toBe(
      "One.\n\nTwo.",
    );
    expect((await wholeOf({ status: "completed", output }, "responses")).thinking).toBe("One.\n\nTwo.");
  });

  it.each([{}, { responseFormat: "text" }] as const)(
    "keeps what is said before an answer of text in it, with %j [model-config.format-text]",
    async (options) => {
      const vendor = await startVendor({ strict: false });
      const body = {
        status: "completed",
        output: [words("commentary", "Let me see. "), words("final_answer", "Rain.")],
      };
      const headers = { "content-type": "application/json" };
      vendor.plan({ raw: { status: 200, headers, frames: [JSON.stringify(body)] } });

      expect((await modelOf(vendor).generate(question, options)).text).toBe("Let me see. Rain.");
    },
  );

  it("tells the reasoning of open models, which is not kept for the vendor", async () => {
    const output = [{ type: "reasoning", content: [{ type: "reasoning_text", text: "Hm." }] }, words("", "Yes.")];
    const response = await wholeOf({ status: "completed", output }, "responses");

    expect(response.thinking).toBe("Hm.");
    expect(response).not.toHaveProperty("vendorState");
  });

  it("keeps no reasoning that nothing followed, for the vendor would not take it back", async () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" };
    const response = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output: [reasoning] };
    const events = [
      { type: "response.output_item.done", ...item(0, reasoning) },
      { type: "response.incomplete", response },
    ];

    for (const answer of [await streamOf(events, "responses"), await wholeOf(response, "responses")]) {
      expect(answer.finishReason).toBe("length");
      expect(answer).not.toHaveProperty("vendorState");
    }
  });

  it.each([
    ["failed", { status: "failed", error: { code: "server_error" } }, { status: 500 }],
    ["never ended", { status: "in_progress" }, { networkCode: "ECONNRESET" }],
    ["was cancelled", { status: "cancelled", error: { code: "rate_limit_exceeded" } }, { status: 429 }],
  ])("is an error as a whole answer that %s", async (_what, body, expected) => {
    await expect(wholeOf(body, "responses")).rejects.toMatchObject(expected);
  });
});
