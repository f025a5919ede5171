// RunOutput, TokenUsage and RunMetrics of a finished run.
import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import type { ChatMessage, RunMetrics, RunOutput, TokenUsage, ToolCallResult } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const vendorUsage = { input: 20, output: 6 };
const model = new ScriptedModel(
  { toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] },
  {
    thinking: "It rains.",
    text: "Take an umbrella.",
    responseId: "resp_1",
    usage: {
      promptTokens: 20,
      completionTokens: 6,
      totalTokens: 26,
      reasoningTokens: 2,
      cachedTokens: 10,
      audioInputTokens: 1,
      audioOutputTokens: 1,
      providerMetrics: vendorUsage,
    },
  },
);
const agent = new Agent({ name: "helper", model, tools: [weather] });
const output: RunOutput = await agent.run("Oslo?", { sessionId: "s-1", userId: "ann", metadata: { plan: "pro" } });

const text: string = output.text;
const toolCalls: readonly ToolCallResult[] = output.toolCalls;
const usage: TokenUsage = output.usage;
assert.equal(text, "Take an umbrella.");
assert.equal(toolCalls[0]?.toolName, "weather");
assert.equal(toolCalls[0].result, "Rain in Oslo.");
assert.equal(usage.promptTokens, 30);
assert.equal(usage.completionTokens, 11);
assert.equal(usage.totalTokens, 41);
assert.equal(usage.reasoningTokens, 2);
assert.equal(usage.cachedTokens, 10);
assert.equal(usage.audioInputTokens, 1);
assert.equal(usage.audioOutputTokens, 1);
assert.deepEqual(usage.providerMetrics, vendorUsage);

assert.equal(output.thinking, "It rains.");
assert.ok(output.durationMs !== undefined && output.durationMs >= 0);
assert.match(output.runId ?? "", /^[0-9a-f-]{36}$/);
assert.equal(output.agentName, "helper");
assert.equal(output.sessionId, "s-1");
assert.equal(output.userId, "ann");
assert.equal(output.model, "scripted-1");
assert.equal(output.modelProvider, "scripted");
assert.equal(output.status, "completed");
assert.ok((output.createdAt ?? 0) > 1_700_000_000_000);
assert.equal(output.responseId, "resp_1");
const messages: readonly ChatMessage[] = output.messages ?? [];
assert.equal(messages.at(-1)?.content, "Take an umbrella.");
const metrics: RunMetrics | undefined = output.metrics;
assert.equal(metrics?.inputTokens, 30);
assert.equal(metrics.outputTokens, 11);
assert.equal(metrics.totalTokens, 41);
assert.equal(typeof metrics.durationMs, "number");

// The time to the first token is of streams.
const streamedRun = new Agent({ name: "helper", model: new ScriptedModel("Hello.") }).stream("Hi");
for await (const _ of streamedRun);
const streamedOutput = await streamedRun.output;
assert.ok((streamedOutput.timeToFirstTokenMs ?? -1) >= 0);
assert.ok((streamedOutput.metrics?.timeToFirstTokenMs ?? -1) >= 0);
