// Agent configuration: every field once.
import assert from "node:assert/strict";
import { Agent, defineTool, EventBus, getTextContent, InMemoryStorage, Memory, UserMemory } from "@troupe/core";
import type { RunContext } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const seen: string[] = [];
const storage = new InMemoryStorage();
const eventBus = new EventBus();
eventBus.on("run.start", ({ agentName }) => {
  seen.push(`run.start ${agentName}`);
});
const userMemory = new UserMemory({ storage });
const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const model = new ScriptedModel(
  { toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] },
  { structured: { advice: "an umbrella" } },
).respond(() => "[]");

const agent = new Agent({
  name: "helper",
  model,
  instructions: (context: RunContext) => `You help ${context.userId ?? "a stranger"}.`,
  tools: [weather],
  memory: new Memory({ storage }),
  storage,
  sessionId: "default-session",
  userId: "ann",
  addHistoryToMessages: true,
  numHistoryRuns: 5,
  maxToolRoundtrips: 3,
  temperature: 0.2,
  structuredOutput: z.object({ advice: z.string() }),
  hooks: {
    beforeRun: (context, input) => {
      seen.push(`beforeRun ${context.agentName} ${getTextContent(input)}`);
    },
    afterRun: (_context, output) => {
      seen.push(`afterRun ${output.status}`);
    },
    onToolCall: (_context, call) => {
      seen.push(`onToolCall ${call.name}`);
    },
    onError: (_context, error) => {
      seen.push(`onError ${String(error)}`);
    },
  },
  guardrails: {
    input: [
      {
        name: "short",
        check: (content) => (content.length < 100 ? { pass: true } : { pass: false, reason: "too long" }),
      },
    ],
    output: [{ name: "polite", check: async () => ({ pass: true }) }],
  },
  eventBus,
  reasoning: { enabled: true, effort: "low", budgetTokens: 1024 },
  userMemory,
  logLevel: "silent",
  retry: { maxRetries: 1, initialDelayMs: 1 },
  maxContextTokens: 50_000,
});

const output = await agent.run("Oslo?");
const advice: string | undefined = output.structured?.advice;
assert.equal(advice, "an umbrella");
assert.equal(output.sessionId, "default-session");
assert.equal(output.userId, "ann");
assert.deepEqual(seen, ["run.start helper", "beforeRun helper Oslo?", "onToolCall weather", "afterRun completed"]);

const request = model.calls[0];
assert.match(getTextContent(request?.messages[0]?.content ?? null), /You help ann\./);
assert.equal(request?.options.temperature, 0.2);
assert.deepEqual(request?.options.reasoning, { enabled: true, effort: "low", budgetTokens: 1024 });
assert.equal(request?.options.tools?.[0]?.name, "weather");

await assert.rejects(agent.run("x".repeat(200)), { code: "guardrail_blocked" });
await userMemory.flush();

// Instructions may be a string, and nearly everything may be left out.
const small = new Agent({ name: "small", model: new ScriptedModel("Hi."), instructions: "Be brief." });
assert.equal((await small.run("Hello")).text, "Hi.");
assert.equal(small.hasStructuredOutput, false);
