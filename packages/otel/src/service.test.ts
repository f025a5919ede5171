import { Agent, createLogger, defineTool } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { describe, expect, it } from "vitest";
import { Recorder } from "../test/recorder.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${spanId}-01`;

async function ask(recorder: Recorder, headers: Record<string, string> = {}, path = "run"): Promise<string> {
  const agent = new Agent({ name: "helper", model: new ScriptedModel({ text: "Hello." }) });
  const service = createService({ agents: { helper: agent }, telemetry: recorder.telemetry });
  const handler = createHandler(service, [http()]);
  const response = await handler(
    new Request(`http://localhost/agents/helper/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ input: "Hi" }),
    }),
  );
  const text = await response.text();
  await service.close();
  return text;
}

async function runSpanOf(recorder: Recorder) {
  const [span] = (await recorder.spans()).filter(({ name }) => name === "invoke_agent helper");
  return span;
}

describe("the trace context of a client", () => {
  it("is a link of the run, because anyone could send it", async () => {
    const recorder = new Recorder();
    await ask(recorder, { traceparent });
    const span = await runSpanOf(recorder);

    expect(span?.spanContext().traceId).not.toBe(traceId);
    expect(span?.links.map(({ context }) => [context.traceId, context.spanId])).toEqual([[traceId, spanId]]);
  });

  it("is the parent of the run where the host trusts its callers", async () => {
    const recorder = new Recorder({ trustCallers: true });
    await ask(recorder, { traceparent });
    const span = await runSpanOf(recorder);

    expect([span?.spanContext().traceId, span?.parentSpanContext?.spanId]).toEqual([traceId, spanId]);
  });

  it.each(["", "00-0-0-00", `00-${"0".repeat(32)}-${spanId}-01`, "x".repeat(4000)])(
    "is ignored if it is malformed: %j",
    async (malformed) => {
      const recorder = new Recorder({ trustCallers: true });
      await ask(recorder, { traceparent: malformed });
      const span = await runSpanOf(recorder);

      expect([span?.links, span?.parentSpanContext]).toEqual([[], undefined]);
    },
  );
});

describe("the metrics of a service", () => {
  it("count runs by status, and a stream as open until it ends", async () => {
    const recorder = new Recorder();
    await ask(recorder, {}, "stream");

    await expect.poll(() => recorder.metric("troupe.streams.open")).toEqual([{ labels: {}, value: 0 }]);
    expect(await recorder.metric("troupe.runs")).toEqual([
      {
        labels: { "gen_ai.agent.name": "helper", "troupe.run.kind": "agent", "troupe.status": "completed" },
        value: 1,
      },
    ]);
  });

  it("have no ids among their labels", async () => {
    const recorder = new Recorder();
    await ask(recorder);
    const labels: unknown[] = [];
    for (const name of await recorder.metricNames()) {
      for (const measured of await recorder.metric(name)) labels.push(measured.labels);
    }

    expect(labels.length).toBeGreaterThan(5);
    expect(JSON.stringify(labels)).not.toMatch(/[\da-f]{8}-[\da-f]{4}|\.id"|conversation/);
  });
});

describe("content", () => {
  const canary = "sk-canary-of-the-telemetry-0001";
  const leak = defineTool({
    name: "leak",
    description: "Returns what it was given.",
    parameters: { type: "object", properties: { text: { type: "string" }, password: { type: "string" } } },
    execute: ({ text }) => `It is ${String(text)}.`,
  });

  async function runWithCanary(recorder: Recorder): Promise<string> {
    const model = new ScriptedModel(
      { toolCalls: [{ name: "leak", arguments: { text: canary, password: "hunter2" } }] },
      { text: `The key is ${canary}.` },
    );
    const agent = new Agent({ name: "helper", model, tools: [leak], telemetry: recorder.telemetry });
    await agent.run(`My key is ${canary}.`, { apiKeys: { scripted: canary } });
    const spans = await recorder.spans();
    return JSON.stringify(spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })));
  }

  it("is recorded with the option captureContent, without the keys of the caller and without passwords", async () => {
    const exported = await runWithCanary(new Recorder({ captureContent: true }));

    expect(exported).toContain("The key is [redacted]");
    expect(exported).toContain("gen_ai.tool.call.arguments");
    expect(exported).not.toMatch(/canary|hunter2/);
  });

  it.each([true, false])(
    "no key is in spans, metrics or logs, when the run fails too: captureContent %s",
    async (on) => {
      const recorder = new Recorder({ captureContent: on });
      const lines: string[] = [];
      const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
      const boom = defineTool({
        name: "boom",
        description: "Fails with what it was given.",
        parameters: { type: "object", properties: { text: { type: "string" } } },
        execute: ({ text }) => {
          throw new Error(`Refused ${String(text)}.`);
        },
      });
      const call = { toolCalls: [{ name: "boom", arguments: { text: canary, apiKey: canary, [canary]: 1 } }] };
      const made = { toolCalls: [{ name: `invented_${canary}`, arguments: {} }] };
      const model = new ScriptedModel(call, made, { error: new Error(`401: wrong key ${canary}`) });
      const { telemetry } = recorder;
      const agent = new Agent({ name: "helper", model, tools: [boom], logger, telemetry, retry: { maxRetries: 0 } });
      const failed = agent.run(`My key is ${canary}.`, { apiKeys: { scripted: canary }, sessionId: "s" });
      await expect(failed).rejects.toMatchObject({ code: "internal" });
      const spans = (await recorder.spans()).map(({ name, attributes, events, status, links, resource }) => {
        return { name, attributes, events, status, links, resource: resource.attributes };
      });
      const metrics = await recorder.collect();

      expect([spans.length, metrics.length, lines.length].every((count) => count > 0)).toBe(true);
      for (const exported of [spans, metrics, lines]) expect(JSON.stringify(exported)).not.toContain(canary);
    },
  );

  it("is bounded, and stays JSON that backends can read", async () => {
    const recorder = new Recorder({ captureContent: true, maxContentLength: 1000 });
    const model = new ScriptedModel({ text: "y".repeat(50_000) });
    await new Agent({ name: "helper", model, telemetry: recorder.telemetry }).run("x".repeat(50_000));
    const texts = (await recorder.spans()).flatMap(({ attributes }) =>
      ["gen_ai.input.messages", "gen_ai.output.messages"].map((name) => attributes[name] as string),
    );

    for (const text of texts) expect(text.length).toBeLessThanOrEqual(1000);
    for (const text of texts) expect(JSON.parse(text)).toHaveLength(1);
  });
});
