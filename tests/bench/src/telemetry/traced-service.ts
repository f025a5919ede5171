import { createServer } from "node:http";
import { context, SpanKind, trace } from "@opentelemetry/api";
import type { Span } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { Agent } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { createTelemetry } from "@troupe/otel";
import { openai } from "@troupe/providers-openai";
import express from "express";
import type { NextFunction, Request, Response } from "express";
import { collectedHeap } from "../answer-rounds.ts";
import { listen, vendorUrl } from "../servers/listen.ts";

/**
 * The service of an agent with telemetry as `BENCH_TELEMETRY` says: `off`, `none` for telemetry without an SDK, `on` with the
 * batch exporter of the SDK, whose collector is at `BENCH_COLLECTOR_URL`, or `hand` for that SDK with spans by hand.
 */
const kind = process.env["BENCH_TELEMETRY"];
const url = `${process.env["BENCH_COLLECTOR_URL"] ?? ""}/v1/traces`;
const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) });
if (kind === "on" || kind === "hand") {
  const quiet = { autoDetectResources: false, metricReaders: [], logRecordProcessors: [] };
  new NodeSDK({ ...quiet, serviceName: "bench", spanProcessors: [processor] }).start();
}
const vendor = openai("mock-1", { apiKey: "none", baseURL: `${vendorUrl()}/v1`, api: "chat" });
const agents = { bench: new Agent({ name: "bench", model: kind === "hand" ? tracedByHand(vendor) : vendor }) };
const observed = kind === "on" || kind === "none";
const service = createService({ agents, ...(observed && { telemetry: createTelemetry() }) });

/**
 * Exports what the last round has left behind, so that its cost belongs to the round. A dead collector is not waited for: the
 * SDK tries it again for seconds, and that work belongs to the next rounds.
 */
async function flush(): Promise<{ done: true }> {
  if (process.env["BENCH_COLLECTOR"] === "alive") await processor.forceFlush();
  return { done: true };
}

async function answer(order: { flush?: true }): Promise<void> {
  process.send?.(order.flush === true ? await flush() : { heapBytes: await collectedHeap() });
}

/** Gives each call of a model a span, as a program does that makes its spans itself. */
function tracedByHand(model: ModelProvider): ModelProvider {
  const { providerId, modelId } = model;
  const begin = () => {
    const attributes = { operation: "chat", provider: providerId, model: modelId, agent: "bench" };
    return trace.getTracer("hand").startSpan(`chat ${modelId}`, { kind: SpanKind.CLIENT, attributes });
  };
  const end = (span: Span): void => {
    span.addEvent("attempt", { attempt: 1, provider: providerId, model: modelId, duration: 0.1 });
    span.setAttributes({ input: 1, output: 1, model: modelId, reasons: ["stop"] });
    span.end();
  };
  return {
    providerId,
    modelId,
    async generate(messages, options) {
      const span = begin();
      const active = trace.setSpan(context.active(), span);
      const response = await context.with(active, () => model.generate(messages, options));
      end(span);
      return response;
    },
    async *stream(messages, options) {
      const span = begin();
      yield* context.with(trace.setSpan(context.active(), span), () => model.stream(messages, options));
      end(span);
    },
  };
}

/** Gives each request a span that ends with its answer, as a program does that makes its spans itself. */
function runSpan(_request: Request, response: Response, next: NextFunction): void {
  const attributes = { operation: "invoke_agent", agent: "bench", model: "mock-1", run: "id", kind: "agent" };
  trace.getTracer("hand").startActiveSpan("invoke_agent bench", { attributes }, (span) => {
    response.once("finish", () => {
      span.setAttributes({ status: "completed", input: 1, output: 1 });
      span.end();
    });
    next();
  });
}

process.on("message", (order: { flush?: true }) => void answer(order));
const app = express();
if (kind === "hand") app.use(runSpan);
listen(createServer(app.use(createRouter(service, [http()]))));
