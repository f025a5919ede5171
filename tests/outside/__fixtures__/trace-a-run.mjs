// Runs an agent and a team in a project of their own, with the SDK of OpenTelemetry that is installed there, and prints their usage:
// `trace-a-run.mjs <root of the repository> <phoenix|prometheus|langfuse|langfuse+sentry> [collector]`.
import { registerHooks } from "node:module";

const [root, backend, collector] = process.argv.slice(2);
// A project has one copy of the API. Our sources would find that of the workspace.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === "@opentelemetry/api" ? { ...context, parentURL: import.meta.url } : context),
});

/** Starts the SDK with the exporters of a backend. Returns what the program prints about it, and its end. */
const starts = {
  async phoenix() {
    const { NodeSDK } = await import("@opentelemetry/sdk-node");
    const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
    const sdk = new NodeSDK({ ...quiet, traceExporter: new OTLPTraceExporter({ url: `${collector}/v1/traces` }) });
    sdk.start();
    return { end: () => sdk.shutdown() };
  },
  async prometheus() {
    const { NodeSDK } = await import("@opentelemetry/sdk-node");
    const { PrometheusExporter } = await import("@opentelemetry/exporter-prometheus");
    const exporter = new PrometheusExporter({ host: "127.0.0.1", port: 0, preventServerStart: true });
    const sdk = new NodeSDK({ ...quiet, spanProcessors: [], metricReaders: [exporter] });
    sdk.start();
    return { scrape: async () => await scrape(exporter), end: () => sdk.shutdown() };
  },
  langfuse: async () => await startLangfuse([]),
  async "langfuse+sentry"() {
    const { SentrySpanProcessor } = await import("@sentry/opentelemetry");
    return await startLangfuse([new SentrySpanProcessor()]);
  },
};

const quiet = { serviceName: "troupe", autoDetectResources: false, metricReaders: [], logRecordProcessors: [] };

async function startLangfuse(others) {
  const { NodeTracerProvider } = await import("@opentelemetry/sdk-trace-node");
  const { LangfuseSpanProcessor } = await import("@langfuse/otel");
  const langfuse = new LangfuseSpanProcessor({ baseUrl: collector, publicKey: "pk-lf-1", secretKey: "sk-lf-1" });
  const provider = new NodeTracerProvider({ spanProcessors: [...others, langfuse] });
  provider.register();
  return {
    async end() {
      await langfuse.forceFlush();
      await provider.shutdown();
    },
  };
}

/** Reads the metrics over HTTP, as Prometheus does. */
async function scrape(exporter) {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const response = await fetch(`http://127.0.0.1:${server.address().port}/metrics`);
  const text = await response.text();
  server.close();
  return text;
}

const { scrape: readMetrics, end } = await starts[backend]();
const packages = `${root}/packages`;
const { Agent, Team, defineTool } = await import(`${packages}/core/src/index.ts`);
const { ScriptedModel } = await import(`${packages}/core/src/testing.ts`);
const { createTelemetry } = await import(`${packages}/otel/src/index.ts`);

const telemetry = createTelemetry({ captureContent: true });
const weather = defineTool({
  name: "weather",
  description: "Looks up the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: () => "It snows.",
});
const call = { toolCalls: [{ name: "weather", arguments: { city: "Tromsø" } }] };
const answer = "It snows in Tromsø: take warm boots.";
const newScout = () =>
  new Agent({ name: "scout", description: "Knows the weather.", model: new ScriptedModel(call, answer), tools: [weather] });
const newGuide = () => {
  const delegate = { toolCalls: [{ name: "delegate_to_scout", arguments: { task: "How is the weather in Tromsø?" } }] };
  const model = new ScriptedModel(delegate, "Pack warm boots, and a lamp: the sun does not rise.");
  return new Team({ name: "guide", mode: "coordinate", model, members: [newScout()], telemetry });
};
const alone = new Agent({ name: "alone", model: new ScriptedModel(call, answer), tools: [weather], telemetry });
const runs = [
  await alone.run("How is the weather in Tromsø?", { sessionId: "a-weekend" }),
  await newGuide().run("What shall I pack for Tromsø?", { sessionId: "a-weekend" }),
];
const metrics = await readMetrics?.();
await end();
const usages = runs.map(({ usage, text }) => ({ ...usage, text }));
process.stdout.write(`${JSON.stringify({ usages, metrics })}\n`);
