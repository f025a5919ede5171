import { createServer } from "node:http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { Agent } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { createTelemetry } from "@troupe/otel";
import { openai } from "@troupe/providers-openai";
import express from "express";
import { collectedHeap } from "../answer-rounds.ts";
import { listen, vendorUrl } from "../servers/listen.ts";

/**
 * The service of an agent with telemetry as `BENCH_TELEMETRY` says: `off`, `no SDK`, or with the batch exporter of the SDK,
 * whose collector is at `BENCH_COLLECTOR_URL`.
 */
const kind = process.env["BENCH_TELEMETRY"];
const url = `${process.env["BENCH_COLLECTOR_URL"] ?? ""}/v1/traces`;
const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) });
if (kind === "on") {
  const quiet = { autoDetectResources: false, metricReaders: [], logRecordProcessors: [] };
  new NodeSDK({ ...quiet, serviceName: "bench", spanProcessors: [processor] }).start();
}
const model = openai("mock-1", { apiKey: "none", baseURL: `${vendorUrl()}/v1`, api: "chat" });
const agents = { bench: new Agent({ name: "bench", model }) };
const service = createService({ agents, ...(kind !== "off" && { telemetry: createTelemetry() }) });

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

process.on("message", (order: { flush?: true }) => void answer(order));
listen(createServer(express().use(createRouter(service, [http()]))));
