// Performs runs with telemetry that is off, or goes to a collector at a URL, and prints how often each of our functions
// that belongs to telemetry was entered: `counted-runs.ts <off|url>`.
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { Agent, InMemoryVectorStore, KnowledgeBase, Memory, Workflow, defineTool } from "@troupe/core";
import type { Telemetry } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import { createTelemetry } from "@troupe/otel";

const [url = "off"] = process.argv.slice(2);
const telemetry = url === "off" ? {} : { telemetry: startTelemetry() };

const look = defineTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  execute: () => "seen",
});
const handbook = new KnowledgeBase({
  name: "handbook",
  vectorStore: new InMemoryVectorStore({ embeddings: new FakeEmbeddings() }),
  ...telemetry,
});
await handbook.addDocuments([{ id: "a", content: "Everyone has 25 days of vacation." }]);

const model = new ScriptedModel().respond(({ messages }) => {
  if (messages.at(-1)?.role === "tool") return "Done.";
  const search = { name: "search_handbook", arguments: { query: "vacation" } };
  return { toolCalls: [{ name: "look", arguments: {} }, search] };
});
const memory = new Memory({ maxShortTermMessages: 50 });
const agent = new Agent({ name: "a", model, memory, tools: [look, handbook.asTool()], ...telemetry });
const steps = [{ name: "one", agent }];
const workflow = new Workflow({ name: "flow", initialState: {}, steps, ...telemetry });

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
for (let run = 0; run < 5; run++) {
  await agent.run("Go.", { sessionId: "s" });
  await agent.stream("Go.", { sessionId: "s" }).output;
  await workflow.run();
}
const { result } = await session.post("Profiler.takePreciseCoverage");
session.disconnect();

const ours = /\/packages\/((?:otel\/src|core\/src\/base\/telemetry)\/.+|core\/src\/.+\/observe-[^/]+)\.ts$/;
const counts: Record<string, number> = {};
for (const { url: file, functions } of result) {
  const name = ours.exec(file)?.[1];
  if (name !== undefined) for (const entered of functions) count(name, entered);
}
process.stdout.write(`${JSON.stringify(counts)}\n`);
// A dead collector is not waited for.
process.exit();

function count(file: string, { functionName, ranges: [range] }: Profiler.FunctionCoverage): void {
  // The range of a module begins at its start: that is its import.
  if (range === undefined || range.count === 0 || range.startOffset === 0) return;
  const name = `${file} ${functionName}`;
  counts[name] = (counts[name] ?? 0) + range.count;
}

function startTelemetry(): Telemetry {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: 500 });
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: 64, maxExportBatchSize: 16 });
  return createTelemetry({ tracerProvider: new TracerProvider({ spanProcessors: [processor] }) });
}
