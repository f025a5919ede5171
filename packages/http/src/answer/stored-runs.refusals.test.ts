import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { as, durable, payer, readPart, serveUsers } from "../../test/stored-runs.ts";
import { scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const body = { input: "Hello?" };

async function serveDurable(agent: Agent) {
  const runs = await durable({ agents: { a: agent } });
  return { runs, service: await serveUsers({ agents: { a: agent }, runs }) };
}

describe("a durable run", () => {
  it.each(["", "two words", "x".repeat(256), "schlüssel"])("refuses the key %j before anything runs", async (key) => {
    const { agent, model } = scripted("Never.");
    const { service } = await serveDurable(agent);

    const answer = await readPart(service, {
      method: "POST",
      path: "/agents/a/run",
      headers: { "idempotency-key": key },
      body,
    });

    expect(answer.status).toBe(400);
    expect(model.calls).toEqual([]);
  });

  it("is refused with 429 and Retry-After when its user has too many [http.durable-admission]", async () => {
    const { agent } = payer();
    const runs = await durable({ agents: { a: agent }, admission: { perCaller: 1 } });
    const service = await serveUsers({ agents: { a: agent }, runs });
    const ask = async () => await service.post("/agents/a/run", body, { ...as("ada"), prefer: "respond-async" });

    const [first, second] = [await ask(), await ask()];

    expect([first.status, second.status]).toEqual([202, 429]);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
    expect([second.headers.get("x-run-id"), second.headers.get("x-session-id")]).toEqual([null, null]);
  });

  it("is refused with 429 and Retry-After when too many runs wait already [http.durable-admission]", async () => {
    const agent = new Agent({ name: "a", model: new ScriptedModel({ hang: true }), storage: new InMemoryStorage() });
    const runs = new RunService({ agents: { a: agent }, storage: new InMemoryStorage(), admission: { maxQueued: 1 } });
    onTestFinished(async () => await runs.close());
    await runs.serve({ concurrency: 1 });
    await runs.accept({ kind: "agent", name: "a", input: "Keeps the only place." });
    const service = await serve({ agents: { a: agent }, runs });
    const ask = async () => await service.post("/agents/a/run", body, { prefer: "respond-async" });

    const [first, second] = [await ask(), await ask()];

    expect([first.status, second.status]).toEqual([202, 429]);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("takes no model and no tools from the host, which no record can hold", async () => {
    const agent = talker();
    const runs = await durable({ agents: { a: agent } });
    const service = await serve({
      agents: { a: agent },
      runs,
      runOptions: () => ({ model: new ScriptedModel("No.") }),
    });

    expect(await service.post("/agents/a/run", body)).toMatchObject({
      status: 500,
      json: { error: { code: "invalid_config" } },
    });
    expect(service.lines.join()).toMatch(/must give no model and no tools to a durable run/);
  });

  it.each([[[null]], [["Hello?"]], [[{ role: "user", content: [null] }]], ["Hello?"], [{}]])(
    "refuses messages that are none with a key as without one, such as %j [http.idempotency-key]",
    async (messages) => {
      const { service } = await serveDurable(talker());

      const answers = [
        await service.post("/agents/a/run", { ...body, messages }),
        await service.post("/agents/a/run", { ...body, messages }, { "idempotency-key": "k" }),
      ];

      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    },
  );

  it("refuses a stream that goes on without the key of its run: it would begin a second one [http.resume-key]", async () => {
    const { agent, model } = scripted("Never.");
    const { service } = await serveDurable(agent);

    const without = await service.post("/agents/a/stream", body, { "last-event-id": "2.0" });
    const forgotten = await service.post("/agents/a/stream", body, { "last-event-id": "2.0", "idempotency-key": "k" });

    expect([without.status, forgotten.status]).toEqual([400, 410]);
    expect(model.calls).toEqual([]);
  });

  it("refuses a router whose service runs something else under a name", async () => {
    const runs = await durable({ agents: { a: talker() } });

    await expect(serve({ agents: { a: talker() }, runs })).rejects.toThrow(/runs has another agent under the name "a"/);
  });
});
