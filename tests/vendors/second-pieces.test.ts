import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent, defineTool } from "@troupe/core";
import type { ChatMessage, ModelProvider, TokenUsage } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, vendorNames } from "./vendors.ts";

const sse = (...events: object[]): string[] =>
  events.map((event) => {
    const { type } = event as { type?: string };
    return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
  });
const chat = (url: string): ModelProvider => openai("or-model", { baseURL: `${url}/v1`, api: "chat" });
const delta = (fields: object, more: object = {}): object => ({ choices: [{ index: 0, delta: fields, ...more }] });
const chatCall = (index: number, id: string): object => ({
  index,
  id,
  type: "function",
  function: { name: "look", arguments: `{"at":"${id}"}` },
});
const reasoningItem = (id: string): object => ({
  type: "reasoning",
  id,
  summary: [{ type: "summary_text", text: `thought ${id}` }],
  encrypted_content: `sealed-${id}`,
});
const callItem = (id: string): object => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "look",
  arguments: `{"at":"${id}"}`,
});
const item = (index: number, content: object): object[] => [
  { type: "response.output_item.added", output_index: index, item: content },
  { type: "response.output_item.done", output_index: index, item: content },
];
const block = (index: number, start: object, ...deltas: object[]): object[] => [
  { type: "content_block_start", index, content_block: start },
  ...deltas.map((each) => ({ type: "content_block_delta", index, delta: each })),
  { type: "content_block_stop", index },
];
const toolUse = (index: number, id: string): object[] =>
  block(
    index,
    { type: "tool_use", id, name: "look", input: {} },
    { type: "input_json_delta", partial_json: `{"at":"${id}"}` },
  );
const candidate = (parts: object[], more: object = {}): object => ({
  index: 0,
  content: { role: "model", parts },
  ...more,
});
const functionCall = (id: string): object => ({ functionCall: { id, name: "look", args: { at: id } } });

type Pieces = {
  model: (url: string) => ModelProvider;
  frames: string[];
  /** Parts of the first answer that the second request holds, in this order. */
  sentBack: string[];
  usage: Partial<TokenUsage>;
};

/** First answers with two of everything. */
const answers: Record<string, Pieces> = {
  "Chat Completions": {
    model: chat,
    frames: sse(
      delta({ reasoning_details: [{ id: "d1" }, { id: "d2" }] }),
      delta({ reasoning_details: [{ id: "d3" }] }),
      {
        choices: [
          { index: 1, delta: { content: "second choice" } },
          { index: 0, delta: { content: "Well. " } },
        ],
      },
      { choices: [{ index: 1, delta: { content: "second choice", tool_calls: [chatCall(0, "other")] } }] },
      delta({ tool_calls: [chatCall(0, "a"), chatCall(1, "b")] }),
      delta({}, { finish_reason: "tool_calls" }),
      { choices: [{ index: 1, delta: {}, finish_reason: "length" }] },
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
    ),
    sentBack: ["d1", "d2", "d3"],
    usage: { promptTokens: 10, completionTokens: 5 },
  },
  Responses: {
    model: connect.openai,
    frames: sse(
      ...item(0, reasoningItem("rs_1")),
      ...item(1, reasoningItem("rs_2")),
      ...item(2, callItem("a")),
      ...item(3, callItem("b")),
      {
        type: "response.completed",
        response: { id: "r", status: "completed", usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } },
      },
    ),
    sentBack: ["sealed-rs_1", "sealed-rs_2", "fc_a", "fc_b"],
    usage: { promptTokens: 10, completionTokens: 5 },
  },
  Anthropic: {
    model: connect.anthropic,
    frames: sse(
      { type: "message_start", message: { id: "m", model: "claude", usage: { input_tokens: 3, output_tokens: 1 } } },
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "first " },
        { type: "thinking_delta", thinking: "thought" },
        { type: "signature_delta", signature: "signed-1" },
      ),
      ...block(
        1,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "second thought" },
        { type: "signature_delta", signature: "signed-2" },
      ),
      ...block(2, { type: "redacted_thinking", data: "hidden-1" }),
      ...block(3, { type: "redacted_thinking", data: "hidden-2" }),
      ...toolUse(4, "a"),
      ...toolUse(5, "b"),
      { type: "message_delta", delta: { stop_reason: null }, usage: { input_tokens: 10, output_tokens: 2 } },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { input_tokens: null, output_tokens: 5 } },
      { type: "message_stop" },
    ),
    sentBack: ["first thought", "signed-1", "second thought", "signed-2", "hidden-1", "hidden-2"],
    usage: { promptTokens: 10, completionTokens: 5 },
  },
  Gemini: {
    model: connect.google,
    frames: sse(
      {
        candidates: [
          candidate([
            { text: "first ", thought: true },
            { text: "thought", thought: true },
          ]),
        ],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
      },
      {
        candidates: [
          { index: 1, content: { role: "model", parts: [{ text: "second choice" }, functionCall("other")] } },
        ],
      },
      {
        candidates: [
          { index: 1, content: { role: "model", parts: [{ text: "second choice" }] } },
          candidate([{ text: "", thoughtSignature: "signed-1" }]),
        ],
      },
      { candidates: [candidate([{ ...functionCall("a"), thoughtSignature: "signed-2" }, functionCall("b")])] },
      {
        candidates: [candidate([], { finishReason: "STOP" })],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
      },
    ),
    sentBack: ["first thought", "signed-1", "signed-2"],
    usage: { promptTokens: 10, completionTokens: 5 },
  },
  Ollama: {
    model: connect.ollama,
    frames: [
      { message: { thinking: "first " } },
      { message: { thinking: "thought" } },
      {
        message: {
          tool_calls: [
            { id: "a", function: { name: "look", arguments: { at: "a" } } },
            { id: "b", function: { name: "look", arguments: { at: "b" } } },
          ],
        },
      },
      { done: true, done_reason: "stop", prompt_eval_count: 10, eval_count: 5 },
    ].map((line) => `${JSON.stringify(line)}\n`),
    sentBack: ["first thought"],
    usage: { promptTokens: 10, completionTokens: 5 },
  },
};

describe.each(Object.entries(answers))(
  "an answer of %s with two of everything",
  (_name, { model, frames, sentBack, usage }) => {
    it("is read whole, and goes back whole with the results of its calls [model-calls.second-pieces]", async () => {
      const vendor = await FakeVendor.start({ strict: false });
      onTestFinished(() => vendor.close());
      const type = frames[0]?.startsWith("{") ? "application/x-ndjson" : "text/event-stream";
      vendor.plan({ raw: { status: 200, headers: { "content-type": type }, frames } }, { answer: "Done." });
      const look = defineTool({
        name: "look",
        description: "Looks.",
        parameters: { type: "object", properties: { at: { type: "string" } } },
        execute: ({ at }) => `saw ${String(at)}`,
      });
      const agent = new Agent({ name: "viewer", model: model(vendor.url), tools: [look] });
      const run = agent.stream("Look", { apiKey: "key-1" });
      let text = "";
      for await (const chunk of run) if (chunk.type === "text") text += chunk.text;
      const output = await run.output;

      const body = JSON.stringify(vendor.exchanges[1]?.request.body);
      const places = sentBack.map((mark) => body.indexOf(mark));
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(output.toolCalls.map(({ result }) => result)).toEqual(["saw a", "saw b"]);
      expect(text.replace("Well. ", "")).toBe("Done.");
      expect(body).not.toContain("second choice");
      expect(output.usage).toMatchObject({
        promptTokens: (usage.promptTokens ?? 0) + 10,
        completionTokens: (usage.completionTokens ?? 0) + 5,
      });
    });
  },
);

it.each(vendorNames)("both system messages reach %s, in their order [model-calls.second-system]", async (name) => {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  vendor.say("Yes.");
  const messages: ChatMessage[] = [
    { role: "system", content: "Rule one." },
    { role: "system", content: "Rule two." },
    { role: "user", content: "Hello" },
  ];
  await connect[name](vendor.url).generate(messages, { apiKey: "key-1" });

  expect(JSON.stringify(vendor.exchanges[0]?.request.body)).toMatch(/Rule one\..*Rule two\./);
});
