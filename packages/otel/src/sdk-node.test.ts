import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import type { SpanProcessor } from "@opentelemetry/sdk-trace";
import { Agent, createLogger, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { OtlpReceiver } from "../test/otlp-receiver.ts";
import { createTelemetry } from "./create-telemetry.ts";

const running: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of running.splice(0)) await end();
  for (const api of [trace, metrics, context, propagation]) api.disable();
});

/** Starts the SDK as a host does, with a batch exporter to a receiver of the test. */
async function startSdk(url: string, more: readonly SpanProcessor[] = [], timeoutMillis = 10_000): Promise<NodeSDK> {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis });
  const sdk = new NodeSDK({
    serviceName: "test",
    autoDetectResources: false,
    spanProcessors: [new BatchSpanProcessor({ exporter }), ...more],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return sdk;
}

const look = defineTool({
  name: "look",
  description: "Looks into the database.",
  parameters: { type: "object", properties: {} },
  execute: () => trace.getTracer("driver").startActiveSpan("SELECT cities", (span) => (span.end(), "Oslo")),
});

function newAgent(lines: string[] = []): Agent {
  const model = new ScriptedModel({ toolCalls: [{ name: "look", arguments: {} }] }, { text: "Oslo." });
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  return new Agent({ name: "helper", model, tools: [look], telemetry: createTelemetry(), logger });
}

describe("with the SDK for Node and an OTLP exporter", () => {
  it("a tool's own span is a child of its call, and all spans are of one trace and one scope", async () => {
    const receiver = await OtlpReceiver.start();
    running.push(() => receiver.close());
    const sdk = await startSdk(receiver.url);
    await newAgent().stream("Where?").output;
    await sdk.shutdown();

    const byName = new Map(receiver.spans.map((span) => [span.name, span]));
    const [run, tool, query] = ["invoke_agent helper", "execute_tool look", "SELECT cities"].map((name) =>
      byName.get(name),
    );
    expect([tool?.parentSpanId, query?.parentSpanId]).toEqual([run?.spanId, tool?.spanId]);
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(run?.scope).toMatchObject({ name: "@troupe/otel", version: "0.1.0" });
  });

  it("each span has the attributes that the conventions require", async () => {
    const receiver = await OtlpReceiver.start();
    running.push(() => receiver.close());
    const sdk = await startSdk(receiver.url);
    await newAgent().run("Where?", { sessionId: "s1" });
    await sdk.shutdown();

    const attributesOf = (name: string) => receiver.spans.find((span) => span.name === name)?.attributes;
    expect(attributesOf("invoke_agent helper")).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "helper",
      "gen_ai.conversation.id": "s1",
      "troupe.status": "completed",
    });
    expect(attributesOf("chat scripted-1")).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "scripted-1",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
    });
    expect(attributesOf("execute_tool look")).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.agent.name": "helper",
    });
  });

  it("a second processor beside the exporter, which changes spans, takes no tokens away", async () => {
    const receiver = await OtlpReceiver.start();
    running.push(() => receiver.close());
    const other: SpanProcessor = {
      onStart: (span) => void span.setAttribute("other.vendor", "seen"),
      onEnd: () => undefined,
      forceFlush: async () => undefined,
      shutdown: async () => undefined,
    };
    const sdk = await startSdk(receiver.url, [other]);
    const { usage } = await newAgent().run("Where?");
    await sdk.shutdown();

    const tokens = receiver.spans.map(({ attributes }) => Number(attributes["gen_ai.usage.input_tokens"] ?? 0));
    expect(tokens.reduce((sum, each) => sum + each, 0)).toBe(usage.promptTokens);
  });

  it("log entries of a run name its trace and span, which entries outside of spans do not", async () => {
    const receiver = await OtlpReceiver.start();
    running.push(() => receiver.close());
    const sdk = await startSdk(receiver.url);
    const lines: string[] = [];
    await newAgent(lines).run("Where?");
    await sdk.shutdown();

    const traceId = receiver.spans[0]?.traceId;
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.length).toBeGreaterThan(1);
    expect(new Set(entries.map((entry) => entry["trace_id"]))).toEqual(new Set([traceId]));
  });

  it("a collector that is dead fails no run", async () => {
    const sdk = await startSdk("http://127.0.0.1:9/v1/traces", [], 100);
    running.push(async () => await sdk.shutdown().catch(() => undefined));

    expect((await newAgent().run("Where?")).text).toBe("Oslo.");
  });
});
