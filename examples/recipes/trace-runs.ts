import assert from "node:assert/strict";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { Agent, defineTool } from "@troupe/core";
import { createTelemetry } from "@troupe/otel";
import { z } from "zod";
// #endregion

const model = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] }, "Take an umbrella.");

// #region readme
// In production, NodeSDK registers its own provider, and `createTelemetry()` finds it.
const exporter = new InMemorySpanExporter();
const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
const telemetry = createTelemetry({ tracerProvider });

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const helper = new Agent({ name: "helper", model, tools: [weather], telemetry });
const { usage } = await helper.run("What should I take along to Oslo?");

await tracerProvider.forceFlush();
let tokens = 0;
for (const { name, attributes } of exporter.getFinishedSpans()) {
  const input = Number(attributes["gen_ai.usage.input_tokens"] ?? 0);
  const output = Number(attributes["gen_ai.usage.output_tokens"] ?? 0);
  tokens += input + output;
  console.log(`${name}: ${input + output} tokens`);
}
console.log(`${tokens} on all spans, ${usage.totalTokens} in the output`);
// #endregion

assert.equal(tokens, usage.totalTokens);
await tracerProvider.shutdown();
