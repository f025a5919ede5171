import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Recorder, tokensIn, tokensOf } from "../test/recorder.ts";

const send = defineTool({
  name: "send",
  description: "Sends a message.",
  parameters: { type: "object", properties: {} },
  needsApproval: true,
  execute: () => "sent",
});

/** Makes a service of one agent, as each process of a deployment does. */
function newService(storage: InMemoryStorage, recorder: Recorder): RunService {
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? { text: "Sent." } : { toolCalls: [{ name: "send", arguments: {} }] },
  );
  const agent = new Agent({ name: "helper", model, tools: [send], storage });
  return new RunService({ storage, agents: { helper: agent }, sealKeys: false, telemetry: recorder.telemetry });
}

async function untilWaiting(service: RunService, runId: string): Promise<string> {
  for await (const event of service.events(runId, "host")) if (event.type === "wait") return event.wait.id;
  throw new Error("The run has not waited.");
}

describe("a durable run that waits and continues in another process", () => {
  it("is one trace with a span for each attempt, linked to the one before", async () => {
    const [recorder, storage] = [new Recorder(), new InMemoryStorage()];
    const first = newService(storage, recorder);
    await first.serve();
    const { runId } = await first.accept({ kind: "agent", name: "helper", input: "Send it." });
    const waitId = await untilWaiting(first, runId);
    await expect.poll(async () => (await first.get(runId, "host")).status).toBe("waiting");
    await first.close();
    const second = newService(storage, recorder);
    await second.serve();
    await second.answer(runId, waitId, { approved: true }, "host");
    for await (const { type } of second.events(runId, "host")) if (type === "end") break;
    await second.close();

    const spans = await recorder.spans();
    const attempts = spans.filter(({ name }) => name === "invoke_agent helper");
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(attempts.map(({ attributes }) => [attributes["troupe.attempt"], attributes["troupe.status"]])).toEqual([
      [1, "paused"],
      [2, "completed"],
    ]);
    const accepted = spans.find(({ name }) => name === "accept_run helper")?.spanContext().spanId;
    expect(attempts.map(({ parentSpanContext: parent }) => parent?.spanId)).toEqual([accepted, accepted]);
    expect(attempts[1]?.links.map(({ context }) => context.spanId)).toEqual([attempts[0]?.spanContext().spanId]);
    expect(
      attempts.map(({ events }) => events.map(({ name, attributes }) => [name, Object.values(attributes ?? {})[0]])),
    ).toEqual([[["troupe.run.wait", "approval"]], [["troupe.run.takeover", "wait"]]]);
  });

  it("has the tokens of its usage, each call once", async () => {
    const [recorder, storage] = [new Recorder(), new InMemoryStorage()];
    const service = newService(storage, recorder);
    await service.serve();
    const { runId } = await service.accept({ kind: "agent", name: "helper", input: "Send it." });
    await service.answer(runId, await untilWaiting(service, runId), { approved: true }, "host");
    for await (const { type } of service.events(runId, "host")) if (type === "end") break;
    const { output } = await service.get(runId, "host");
    await service.close();

    expect(tokensOf(await recorder.spans())).toEqual(tokensIn((output as { usage: never }).usage));
    expect(await recorder.metric("troupe.run.waits")).toEqual([
      { labels: { "troupe.wait.kind": "approval" }, value: 1 },
    ]);
    expect(await recorder.metricNames()).toEqual(expect.arrayContaining(["troupe.queue.wait", "troupe.session.wait"]));
  });
});

describe("the queue of a service that performs one run at a time", () => {
  it("has its depth, and the age of the run that waits longest", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const [recorder, storage] = [new Recorder(), new InMemoryStorage()];
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = defineTool({
      name: "hold",
      description: "Holds the run.",
      parameters: { type: "object", properties: {} },
      execute: async () => {
        begun.resolve();
        await held.promise;
        return "held";
      },
    });
    const model = new ScriptedModel().respond(({ messages }) =>
      messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: [{ name: "hold", arguments: {} }] },
    );
    const agents = { helper: new Agent({ name: "helper", model, tools: [hold], storage }) };
    const { telemetry } = recorder;
    const service = new RunService({ storage, agents, sealKeys: false, telemetry, now: () => Date.now() });
    const queue = async () => [
      ...(await recorder.metric("troupe.queue.depth")),
      ...(await recorder.metric("troupe.queue.age")),
    ];
    const accept = async () => await service.accept({ kind: "agent", name: "helper", input: "Go." });
    await service.serve({ concurrency: 1 });
    expect(await queue()).toEqual([0, 0].map((value) => ({ labels: {}, value })));
    await accept();
    await begun.promise;
    for (const [afterMs, values] of [
      [0, [1, 0]],
      [2500, [2, 2.5]],
      [1000, [3, 3.5]],
    ] as const) {
      vi.setSystemTime(Date.now() + afterMs);
      await accept();
      expect(await queue()).toEqual(values.map((value) => ({ labels: {}, value })));
    }
    held.resolve();
    await expect.poll(queue).toEqual([0, 0].map((value) => ({ labels: {}, value })));
    await service.close();
  });
});
