import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { Agent, defineTool } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { createTelemetry } from "@troupe/otel";
import { SqliteStorage } from "@troupe/storage-sqlite";

// One node of a deployment: `killed-node.ts <receiver> <database> <first|second>`. The first one accepts a run and hangs
// in its second tool; the second one takes the run over. It writes a line when it hangs, and one when the run is over.

const [url = "", path = "", role = ""] = process.argv.slice(2);
const sdk = new NodeSDK({
  serviceName: role,
  autoDetectResources: false,
  spanProcessors: [new SimpleSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  metricReaders: [],
  logRecordProcessors: [],
});
sdk.start();

const parameters = { type: "object", properties: {} } as const;
const quick = defineTool({
  name: "quick",
  description: "Is quick.",
  parameters,
  effect: "pure",
  execute: () => "done",
});
const slow = defineTool({
  name: "slow",
  description: "Is slow.",
  parameters,
  effect: "pure",
  execute: async () => {
    if (role === "second") return "done";
    // The record of the run notes its attempt after a tenth of a second.
    setTimeout(() => process.stdout.write("hanging\n"), 400);
    return await new Promise<string>(() => undefined);
  },
});
const model = new ScriptedModel().respond(({ messages }) => {
  const results = messages.filter(({ role: of }) => of === "tool").length;
  return results === 2 ? { text: "Done." } : { toolCalls: [{ name: results === 0 ? "quick" : "slow", arguments: {} }] };
});
const storage = new SqliteStorage(path);
const agent = new Agent({ name: "helper", model, tools: [quick, slow], storage });
const service = new RunService({ storage, agents: { helper: agent }, sealKeys: false, telemetry: createTelemetry() });
await service.serve();
if (role === "first") {
  const { runId } = await service.accept({ kind: "agent", name: "helper", input: "Go." });
  process.stdout.write(`${runId}\n`);
} else {
  const [run] = (await service.list("host")).runs;
  for await (const { type } of service.events(run?.runId ?? "", "host")) if (type === "end") break;
  const { output } = await service.get(run?.runId ?? "", "host");
  await service.close();
  await storage.close();
  await sdk.shutdown();
  process.stdout.write(`${JSON.stringify((output as { usage: object }).usage)}\n`);
}
