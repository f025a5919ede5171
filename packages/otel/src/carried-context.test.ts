import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import type { SpanContext } from "@opentelemetry/api";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { A2ARemoteAgent, a2a } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import { createHandler, createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { McpToolServer, mcp } from "@troupe/mcp";
import { openai } from "@troupe/providers-openai";
import { createAgentGateway } from "@troupe/socket";
import { Server } from "socket.io";
import { io as dial } from "socket.io-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { Recorder } from "../test/recorder.ts";
import { createTelemetry } from "./create-telemetry.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${spanId}-01`;

const newHelper = () => new Agent({ name: "helper", model: new ScriptedModel({ text: "Hello." }) });

async function listen(server: HttpServer): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts the SDK as a host does, with its context manager and its propagators. Returns the spans that have ended. */
function startSdk(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const quiet = { autoDetectResources: false, metricReaders: [], logRecordProcessors: [] };
  const sdk = new NodeSDK({ ...quiet, serviceName: "test", spanProcessors });
  sdk.start();
  onTestFinished(async () => {
    await sdk.shutdown();
    for (const api of [trace, metrics, context, propagation]) api.disable();
  });
  return exporter;
}

describe.each([true, false])("the handshake of Socket.IO, in a service that trusts its callers: %s", (trustCallers) => {
  it("is the parent of the run, or else a link", async () => {
    const recorder = new Recorder({ trustCallers });
    const server = createServer();
    const io = new Server(server);
    const service = createService({ agents: { helper: newHelper() }, telemetry: recorder.telemetry });
    createAgentGateway({ io, service });
    const url = await listen(server);
    const socket = dial(`${url}/service`, { transports: ["websocket"], forceNew: true, extraHeaders: { traceparent } });
    const done = new Promise((resolve) => void socket.once("agent.done", resolve));
    socket.emit("agent.run", { name: "helper", input: "Hi" });
    await done;
    socket.disconnect();
    await service.close();
    await io.close();

    const run = (await recorder.spans()).find(({ name }) => name === "invoke_agent helper");
    const nameOf = (found: SpanContext | undefined) => found && `${found.traceId}-${found.spanId}`;
    const sent = `${traceId}-${spanId}`;
    expect(nameOf(run?.parentSpanContext)).toBe(trustCallers ? sent : undefined);
    expect(run?.links.map((link) => nameOf(link.context))).toEqual(trustCallers ? [] : [sent]);
  });
});

describe("the span of the host's HTTP instrumentation", () => {
  it("is the parent of the run, whatever the client has sent", async () => {
    const exporter = startSdk();
    const service = createService({
      agents: { helper: newHelper() },
      telemetry: createTelemetry({ trustCallers: true }),
    });
    onTestFinished(() => service.close());
    const handler = createHandler(service, [http()]);
    const request = new Request("http://localhost/agents/helper/run", {
      method: "POST",
      headers: { "content-type": "application/json", traceparent },
      body: JSON.stringify({ input: "Hi" }),
    });
    await trace.getTracer("host").startActiveSpan("POST /agents/helper/run", async (span) => {
      await (await handler(request)).text();
      span.end();
    });

    const byName = new Map(exporter.getFinishedSpans().map((span) => [span.name, span]));
    const host = byName.get("POST /agents/helper/run");
    expect(byName.get("invoke_agent helper")?.parentSpanContext?.spanId).toBe(host?.spanContext().spanId);
    expect(host?.spanContext().traceId).not.toBe(traceId);
  });
});

/** Serves an agent for other services, over A2A or MCP. Returns its URL, and what a client has sent to it. */
async function serveGuide(protocol: Parameters<typeof createHandler>[1][number]) {
  const got: string[] = [];
  const watch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    got.push(typeof init?.body === "string" ? init.body : "");
    return await fetch(input, init);
  };
  const guide = new Agent({ name: "guide", description: "Knows capitals.", model: new ScriptedModel("Oslo.") });
  const service = createService({ agents: { guide }, allowedHosts: ["127.0.0.1"] });
  const { url, server } = await serve(service, [protocol], { port: 0, host: "127.0.0.1" });
  server.on("request", ({ headers }) => void got.push(JSON.stringify(headers)));
  onTestFinished(() => service.close());
  return { url, got, watch };
}

/** Starts a vendor that fails each request. Returns its URL, and the headers that it gets. */
async function startVendor(): Promise<{ url: string; got: IncomingHttpHeaders[] }> {
  const got: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    got.push(request.headers);
    response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"No."}}');
  });
  return { url: await listen(server), got };
}

/** Runs something while the host has a span, and baggage with a secret, as its clients may send it. */
async function withBaggage(work: () => Promise<unknown>): Promise<void> {
  const baggage = propagation.createBaggage({ tenant: { value: "secret-of-the-host" } });
  const active = propagation.setBaggage(context.active(), baggage);
  await context.with(active, async () => {
    await trace.getTracer("host").startActiveSpan("host", async (span) => {
      await work();
      span.end();
    });
  });
}

describe("baggage of the host", () => {
  it.each(["A2A", "MCP"] as const)("is not passed on over %s, as the trace is", async (protocol) => {
    startSdk();
    const { url, got, watch } = await serveGuide(protocol === "A2A" ? a2a() : mcp());
    const remote = new A2ARemoteAgent({ url });
    const far = new McpToolServer({ name: "far", transport: "http", url: `${url}/mcp`, fetch: watch });
    onTestFinished(() => far.close());
    if (protocol === "A2A") await remote.discover();
    const tools = protocol === "A2A" ? [remote.asTool()] : [far];
    const call =
      protocol === "A2A"
        ? { name: "ask_guide", arguments: { input: "Norway?" } }
        : { name: "far__ask_guide", arguments: { message: "Norway?" } };
    const model = new ScriptedModel({ toolCalls: [call] }, "Oslo.");
    const asker = new Agent({ name: "asker", model, tools, telemetry: createTelemetry() });
    await withBaggage(async () => await asker.run("Where?"));

    expect(got.join("\n")).toContain("traceparent");
    expect(got.join("\n")).not.toMatch(/baggage|secret-of-the-host/);
  });
});

describe("a vendor", () => {
  it.each([true, false])("gets the trace, without baggage, if the host says so: %s", async (isTold) => {
    const exporter = startSdk();
    const { url, got } = await startVendor();
    const telemetry = createTelemetry();
    const headers = isTold ? { headers: () => telemetry.headers() } : {};
    const model = openai("gpt-6.1-sol", { apiKey: "none", baseURL: `${url}/v1`, ...headers });
    const agent = new Agent({ name: "helper", model, telemetry, retry: { maxRetries: 0 } });
    await withBaggage(async () => await agent.run("Hi").catch(() => undefined));

    const call = exporter.getFinishedSpans().find(({ name }) => name.startsWith("chat"));
    const { traceId: own, spanId: sender } = call?.spanContext() ?? {};
    expect(got.map((sent) => [sent["traceparent"], sent["baggage"]])).toEqual([
      [isTold ? `00-${own}-${sender}-01` : undefined, undefined],
    ]);
  });
});
