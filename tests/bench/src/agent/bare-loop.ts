import type { ChatMessage, TokenUsage } from "@troupe/core";
import { answerRounds } from "../answer-rounds.ts";
import { FixedModel } from "./fixed-model.ts";

/**
 * The work of an agent, written by hand for one case: a system prompt, a tool, the loop, the usage. It has no options,
 * limits, events or session, and cannot be cancelled.
 */
const tools = new Map([["weather", async ({ city }: { city?: unknown }) => `Rain in ${String(city)}.`]]);
const specs = [{ name: "weather", description: "Tells the weather.", parameters: { type: "object" } }];

type Question = { model: FixedModel; input: string };

function openMessages(input: string): ChatMessage[] {
  return [
    { role: "system", content: "Answer in one sentence." },
    { role: "user", content: input },
  ];
}

function add(sum: TokenUsage, usage: TokenUsage): void {
  sum.promptTokens += usage.promptTokens;
  sum.completionTokens += usage.completionTokens;
  sum.totalTokens += usage.totalTokens;
}

async function run({ model, input }: Question) {
  const messages = openMessages(input);
  const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  for (;;) {
    const response = await model.generate(messages);
    add(usage, response.usage);
    if (response.toolCalls.length === 0) return { text: response.text, usage };
    messages.push({ role: "assistant", content: response.text, toolCalls: response.toolCalls });
    const results = response.toolCalls.map(async (call) => await tools.get(call.name)?.(call.arguments));
    for (const [at, content] of (await Promise.all(results)).entries()) {
      messages.push({ role: "tool", toolCallId: response.toolCalls[at]?.id ?? "", content: content ?? "" });
    }
  }
}

async function* stream({ model, input }: Question) {
  const messages = openMessages(input);
  let text = "";
  for await (const chunk of model.stream()) {
    if (chunk.type === "text") text += chunk.text;
    yield chunk;
  }
  messages.push({ role: "assistant", content: text });
}

const plain = new FixedModel();
const asking = new FixedModel({ asksForTool: true });
const input = "Tell me something.";

const units: Record<string, () => Promise<unknown>> = {
  run: async () => await run({ model: plain, input }),
  tool: async () => await run({ model: asking, input }),
  stream: async () => {
    for await (const chunk of stream({ model: plain, input })) if (chunk.type === "finish") return specs;
    return undefined;
  },
};

const unit = units[process.env["BENCH_CANDIDATE"] ?? ""];
if (unit === undefined) throw new Error("BENCH_CANDIDATE names no unit of this file.");
answerRounds(async (count) => {
  for (let at = 0; at < count; at++) await unit();
});
