import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import { Agent, defineTool } from "@troupe/core";
import type { ChatMessage, ModelProvider, ModelResponse } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { createTelemetry } from "./create-telemetry.ts";

const maxQueueSize = 64;
const maxExportBatchSize = 16;
const runs = { few: 40, many: 200 }[inject("trials")];

/** An exporter whose collector takes the connection and never answers. */
const silent: SpanExporter = {
  export: () => undefined,
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};

/** Collects garbage after the work that this turn of the loop has left behind. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => void setImmediate(resolve));
    collect();
  }
}

const look = defineTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  execute: () => "seen",
});

/** A model that calls a tool once. The scripted model would keep what it was asked, and with it the runs. */
class ForgetfulModel implements ModelProvider {
  readonly providerId = "test";
  readonly modelId = "forgetful";

  async generate(messages: readonly ChatMessage[]): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages));
  }

  async *stream(messages: readonly ChatMessage[]): AsyncGenerator<ModelChunk, void> {
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    if (messages.at(-1)?.role === "tool") {
      yield { type: "text", text: "Done." };
      yield { type: "finish", finishReason: "stop", usage };
      return;
    }
    yield { type: "tool_call_start", toolCall: { id: "c", name: "look" } };
    yield { type: "tool_call_end", toolCallId: "c" };
    yield { type: "finish", finishReason: "tool_calls", usage };
  }
}

describe.each([
  ["refuses connections", new OTLPTraceExporter({ url: "http://127.0.0.1:9/v1/traces", timeoutMillis: 100 })],
  ["never answers", silent],
])("a collector that %s", (_, exporter) => {
  it("leaves no more spans in memory than the queue of the exporter has room for", async () => {
    const ended: WeakRef<ReadableSpan>[] = [];
    const watch: SpanProcessor = {
      onStart: () => undefined,
      onEnd: (span) => void ended.push(new WeakRef(span)),
      forceFlush: async () => undefined,
      shutdown: async () => undefined,
    };
    const batch = new BatchSpanProcessor({ exporter, maxQueueSize, maxExportBatchSize, scheduledDelayMillis: 1 });
    const tracerProvider = new TracerProvider({ spanProcessors: [watch, batch] });
    onTestFinished(async () => void tracerProvider.shutdown().catch(() => undefined));
    const telemetry = createTelemetry({ tracerProvider, captureContent: true });
    const agent = new Agent({ name: "a", model: new ForgetfulModel(), tools: [look], telemetry });
    for (let run = 0; run < runs; run++) await agent.stream("Go.").output;
    await collectGarbage();

    expect(ended).toHaveLength(4 * runs);
    const kept = ended.filter((span) => span.deref() !== undefined).length;
    // One batch is on its way, and the last run may still be on a stack.
    expect(kept).toBeLessThanOrEqual(maxQueueSize + maxExportBatchSize + 4);
    expect(kept).toBeGreaterThan(0);
  });
});
