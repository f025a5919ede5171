import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { durable, payer, readPart, textOf } from "../../test/stored-runs.ts";
import { scripted } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const body = { input: "Hello?" };
const patience = { timeout: 10_000, interval: 5 };

function agentWith(...answers: ConstructorParameters<typeof ScriptedModel>): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel(...answers);
  return { agent: new Agent({ name: "a", model, storage: new InMemoryStorage() }), model };
}

describe("a shutdown", () => {
  it("hands durable runs back and tells their clients so, and the next process goes on with them [http.shutdown-durable]", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = agentWith({ hang: true }, { hang: true });
    const runs = await durable({ agents: { a: agent }, storage });
    const service = await serve({ agents: { a: agent }, runs });
    const streaming = readPart(service, { method: "POST", path: "/agents/a/stream?early=1", body });
    const waiting = service.post("/agents/a/run", body, { "idempotency-key": "k" });
    await vi.waitFor(() => expect(model.calls).toHaveLength(2), patience);

    await service.served.close({ graceMs: 50 });
    const streamed = await streaming;
    const whole = await waiting;

    const runId = /x-run-id: (\S+)/i.exec(streamed.head)?.[1] ?? "";
    expect(streamed.frames).toMatchObject([{ id: undefined, data: { type: "error", error: { code: "interrupted" } } }]);
    expect(whole).toMatchObject({ status: 503, json: { error: { code: "interrupted" } } });
    expect(whole.headers.get("retry-after")).toBe("1");
    await runs.close();
    const next = agentWith({ text: "Here I am." }, { text: "Here I am." });
    const after = await durable({ agents: { a: next.agent }, storage });
    const resumed = await serve({ agents: { a: next.agent }, runs: after });
    const { frames } = await readPart(resumed, { path: `/runs/${runId}/events` });
    expect(textOf(frames)).toBe("Here I am.");
  });

  it("does not wait for runs that wait for an answer", async () => {
    const { agent } = payer();
    const runs = await durable({ agents: { a: agent } });
    const service = await serve({ agents: { a: agent }, runs });
    const { headers } = await service.post("/agents/a/run", body);
    const reading = readPart(service, { path: `${headers.get("location")}/events` });
    await vi.waitFor(async () => expect((await service.ask("/health")).status).toBe(200), patience);

    await service.served.close({ graceMs: 60_000 });

    expect((await reading).frames.at(-1)?.data).toMatchObject({ type: "error", error: { code: "interrupted" } });
  });

  it("ends runs that are stored in the process as plain ones, and refuses new ones of both kinds", async () => {
    const { agent, model } = scripted({ hang: true });
    const d = agentWith({ text: "No." }).agent;
    const runs = new RunService({ agents: { d } });
    const service = await serve({ agents: { a: agent, d }, runs });
    const asking = service.post("/agents/a/stream?early=1", body, { "idempotency-key": "k" });
    await vi.waitFor(() => expect(model.calls).toHaveLength(1), patience);

    const ended = service.served.close({ graceMs: 50 });
    const refused = await service.post("/agents/a/run", body, { "idempotency-key": "other" });
    await ended;

    expect(refused).toMatchObject({ status: 503, json: { error: { code: "unavailable" } } });
    expect((await asking).text).toContain('"code":"unavailable"');
    expect(model.calls[0]?.end).toBe("cancelled");
  });
});
