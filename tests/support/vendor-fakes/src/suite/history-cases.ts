import assert from "node:assert/strict";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import type { AgentConfig, ChatMessage, ModelOptions, ModelProvider, ToolCall } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import type { VendorAnswer } from "../dialect.ts";
import { collect } from "./provider-trial.ts";
import type { ProviderCases, ProviderTrial } from "./provider-trial.ts";

type Random = () => number;

const ids = ["a", "b", "call:1", "call_1", "", "ü"];
const names = ["look", "a.b", "1st", "constructor", ""];
const texts = ["Hello", " ", "", "More.\n", null];
const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
const tools = [{ name: "look", description: "Looks.", parameters }];
const options: ModelOptions = { tools, reasoning: { enabled: true, effort: "low" } };

/** Returns options for a history that is not the model's own: with reasoning only if the model accepts it there. */
function optionsFor({ subject }: ProviderTrial, modelId: string): ModelOptions {
  return subject.consistentThinkers?.includes(modelId) === true ? { tools } : options;
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value;
}

/** Makes a message as another vendor's model, a broken storage or a careless caller may produce it. */
function anyMessage(random: Random): ChatMessage {
  const role = pick(random, ["user", "assistant", "tool", "system"] as const);
  const content = pick(random, texts);
  if (role === "tool") return { role, content, toolCallId: pick(random, ids) };
  if (role !== "assistant" || random() < 0.4) return { role, content };
  const toCall = (): ToolCall => ({ id: pick(random, ids), name: pick(random, names), arguments: {} });
  return { role, content, toolCalls: Array.from({ length: Math.floor(random() * 4) }, toCall) };
}

/** Returns the model's own answer to the history so far, and some of the requested results, in any order. */
async function ownTurn(
  ask: (history: readonly ChatMessage[]) => Promise<ModelResponse>,
  history: readonly ChatMessage[],
  random: Random,
): Promise<ChatMessage[]> {
  const { text, toolCalls, vendorState } = await ask(history);
  const answer: ModelMessage = { role: "assistant", content: text, toolCalls, ...(vendorState && { vendorState }) };
  const results = toolCalls.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: "done" }));
  const kept = results.filter(() => random() < 0.8);
  return [answer, ...(random() < 0.5 ? kept : kept.toReversed())];
}

const look = { name: "look", arguments: {} };
const steps: VendorAnswer[] = [
  { thinking: "I need the weather.", text: "Let me look.", toolCalls: [look, look] },
  { thinking: "Once more.", toolCalls: [look] },
  { thinking: "Rain.", text: "Take one." },
];

/** Runs a tool loop like an agent, and returns all of its messages. */
async function loop(ask: (messages: ModelMessage[]) => Promise<ModelResponse>): Promise<ModelMessage[]> {
  const messages: ModelMessage[] = [{ role: "user", content: "Umbrella?" }];
  for (let step = 0; step < steps.length; step += 1) {
    const { text, toolCalls, vendorState } = await ask(messages);
    messages.push({ role: "assistant", content: text || null, toolCalls, ...(vendorState && { vendorState }) });
    messages.push(...toolCalls.map(({ id }) => ({ role: "tool" as const, toolCallId: id, content: "rain" })));
  }
  return messages;
}

const ways = {
  whole: (model: ModelProvider) => async (messages: ModelMessage[]) => await model.generate(messages, options),
  streamed: (model: ModelProvider) => async (messages: ModelMessage[]) =>
    await collectResponse(model.stream(messages, options)),
};

/** Cases of histories: the messages that are sent back must be acceptable to the vendor. */
export const historyCases = {
  "makes of any history one that its vendor takes, its own answers among it": async (trial) => {
    const { seededRandom } = await import("@troupe-internal/fault-tools");
    for (const modelId of trial.subject.models) {
      const model = trial.connect({ modelId });
      const ask = async (history: readonly ChatMessage[]) => await model.generate(history, optionsFor(trial, modelId));
      for (let seed = 1; seed <= 60; seed += 1) {
        const random = seededRandom(seed);
        trial.vendor.respond(() => ({
          answer: {
            text: pick(random, ["", "So."]),
            toolCalls: Array.from({ length: Math.floor(random() * 3) }, () => ({ name: "look", arguments: { seed } })),
          },
        }));
        // Starts with a user message, because a history without one is refused before it is sent.
        const history: ChatMessage[] = [{ role: "user", content: "And now?" }];
        for (let turn = 0; turn < 8; turn += 1)
          history.push(...(random() < 0.4 ? await ownTurn(ask, history, random) : [anyMessage(random)]));
        await (seed % 2 === 0 ? ask(history) : model.generate(history));
      }
    }
    assertNothingRefused(trial);
  },
  "gives the vendor its own answers back within a run, as it demands": async (trial) => {
    for (const modelId of trial.subject.models) {
      for (const way of Object.values(ways)) {
        trial.vendor.say(...steps);
        const model = trial.connect({ modelId });
        await loop(way(model));
      }
    }
    assertNothingRefused(trial);
    trial.vendor.assertDone();
  },
  "keeps the vendor's state from other models and from messages that no longer say the same": async (trial) => {
    trial.vendor.say(...steps);
    const messages = await loop(ways.streamed(trial.connect()));
    const [question, called, ...results] = messages;
    const oneCall = { ...called, toolCalls: called?.toolCalls?.slice(0, 1) } as ModelMessage;
    const stored = messages.map((message) => {
      const { vendorState: _, ...plain } = message;
      return plain;
    });
    for (const sent of [messages, stored, [question as ModelMessage, oneCall, ...results.slice(0, 1)]])
      for (const modelId of trial.subject.models)
        await trial.connect({ modelId }).generate(sent, optionsFor(trial, modelId));
    assertNothingRefused(trial);
  },
  "lets an agent think its way through tools, and stores none of its vendor's secrets": async (trial) => {
    for (const modelId of trial.subject.models) {
      const storage = new InMemoryStorage();
      const agent = agentOf(trial, modelId, { storage, sessionId: "s", instructions: "Be short." });
      const turns: VendorAnswer[] = [
        { thinking: "Where?", toolCalls: [look] },
        { thinking: "Sure?", toolCalls: [look] },
        { thinking: "So.", text: "Yes." },
      ];
      trial.vendor.say(...turns, ...turns);
      const whole = await agent.run("Umbrella?");
      const chunks = await collect(agent.stream("And now?") as AsyncIterable<never>);

      const { text, status, usage } = whole;
      assert.deepEqual([text, status, usage?.totalTokens], ["Yes.", "completed", 45]);
      assert.deepEqual((chunks as { type: string }[]).at(-1)?.type, "finish");
      const stored = JSON.stringify([await storage.list("turns"), await storage.list("sessions"), whole, chunks]);
      assert.match(stored, /rain in Oslo/);
      assert.doesNotMatch(stored, trial.subject.secrets);
    }
    assertNothingRefused(trial);
    trial.vendor.assertDone();
  },
  "lets an agent answer without tools once it has used them often enough": async (trial) => {
    for (const modelId of trial.subject.models) {
      trial.vendor.say({ thinking: "Where?", toolCalls: [look] }, "Yes.");
      const output = await agentOf(trial, modelId, { maxToolRoundtrips: 1 }).run("Umbrella?");
      assert.equal(output.text, "Yes.");
      assertLastBody(trial, trial.subject.agentRequests?.withoutTools);
    }
    assertNothingRefused(trial);
    trial.vendor.assertDone();
  },
  "lets an agent mend an answer that does not fit its schema": async (trial) => {
    for (const modelId of trial.subject.models) {
      trial.vendor.say({ thinking: "Where?", toolCalls: [look] }, '{"needed":"yes"}', '{"needed":true}');
      const needed = { type: "object", properties: { needed: { type: "boolean" } }, required: ["needed"] };
      const { structured } = (await agentOf(trial, modelId, { structuredOutput: needed }).run("Umbrella?")) as {
        structured?: unknown;
      };
      assert.deepEqual(structured, { needed: true });
      assertLastBody(trial, trial.subject.agentRequests?.repaired);
    }
    assertNothingRefused(trial);
    trial.vendor.assertDone();
  },
} satisfies ProviderCases;

function agentOf(trial: ProviderTrial, modelId: string, config: Partial<AgentConfig>): Agent {
  const tool = defineTool({ name: "look", description: "Looks.", parameters, execute: () => "rain in Oslo" });
  const model = trial.connect({ modelId });
  return new Agent({ name: "helper", model, tools: [tool], reasoning: { enabled: true }, ...config });
}

function assertLastBody({ vendor }: ProviderTrial, pattern = /(?:)/): void {
  assert.match(JSON.stringify(vendor.exchanges.at(-1)?.request.body), pattern, "the last request");
}

function assertNothingRefused({ vendor }: ProviderTrial): void {
  assert.ok(vendor.exchanges.length > 0, "the vendor received no request");
  assert.deepEqual(
    vendor.exchanges.flatMap(({ refusal }) => refusal ?? []),
    [],
  );
}
