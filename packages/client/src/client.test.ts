import { Agent, defineTool, InMemoryStorage, Team, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { ApiError, createClient } from "./index.ts";
import type { ClientEvent } from "./index.ts";
import { describe, expect, it } from "vitest";
import { serveOn } from "../test/serve.ts";

const sayer = (name: string, text = "Hello.") =>
  new Agent({ name, model: new ScriptedModel().respond(() => text), storage: new InMemoryStorage() });

const eventsOf = async (stream: AsyncIterable<ClientEvent>): Promise<ClientEvent[]> => await Array.fromAsync(stream);

describe("a client", () => {
  it("runs agents, teams and workflows, and lists them [client.runs]", async () => {
    const helper = sayer("helper");
    const desk = new Team({ name: "desk", mode: "route", model: new ScriptedModel(), members: [sayer("ann", "Hi.")] });
    const trip = new Workflow({ name: "trip", initialState: { city: "" }, steps: [{ name: "plan", agent: helper }] });
    const baseUrl = await serveOn("node:http", { agents: { helper }, teams: { desk }, workflows: { trip } });
    const client = createClient({ baseUrl });

    expect(await client.agent("helper").run("Hi?", { sessionId: "s1" })).toMatchObject({
      status: "completed",
      text: "Hello.",
      sessionId: "s1",
    });
    expect(await client.team("desk").run("Hi?")).toMatchObject({ text: "Hi." });
    expect(await client.workflow("trip").run({ city: "Oslo" })).toMatchObject({
      state: { city: "Oslo", plan: "Hello." },
    });
    expect((await client.list()).map(({ name }) => name)).toEqual(["helper", "desk", "trip"]);
  });

  it("streams events, whose ids are known at their beginning [client.runs]", async () => {
    const client = createClient({ baseUrl: await serveOn("node:http", { agents: { helper: sayer("helper") } }) });
    const stream = client.agent("helper").stream("Hi?", { sessionId: "s1" });
    const events = await eventsOf(stream);

    expect(events.map(({ type }) => type)).toEqual(["text", "finish"]);
    expect(await stream.ids).toMatchObject({ runId: expect.any(String) as string, sessionId: "s1" });
  });

  it("makes, lists, changes and removes schedules of its user", async () => {
    const authenticate = () => ({ userId: "ada" });
    const shared = { agents: { helper: sayer("helper") }, storage: new InMemoryStorage(), durable: true };
    const { schedules } = createClient({
      baseUrl: await serveOn("node:http", { ...shared, schedules: true, authenticate }),
    });
    const sent = { kind: "agent", name: "helper", input: "Grüße.", everyMs: 3_600_000 } as const;
    const made = await schedules.create(sent);

    expect(made).toMatchObject({ ...sent, status: "active", pending: [], history: [] });
    expect(await schedules.list()).toEqual([made]);
    expect(await schedules.change(made.id, { status: "paused" })).toMatchObject({ status: "paused" });
    expect(await schedules.get(made.id)).not.toHaveProperty("nextAt");
    const kept = await schedules.create(sent, { idempotencyKey: "k" });
    expect(await schedules.create(sent, { idempotencyKey: "k" })).toEqual(kept);
    const other = schedules.create({ ...sent, everyMs: 7_200_000 }, { idempotencyKey: "k" });
    await expect(other).rejects.toMatchObject({ code: "idempotency_mismatch", status: 422 });
    await schedules.remove(made.id);
    await expect(schedules.get(made.id)).rejects.toMatchObject({ code: "not_found", status: 404 });
  });

  it("answers the question of a run that waits [client.runs]", async () => {
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      parameters: { type: "object" },
      needsApproval: true,
      execute: () => "Paid.",
    });
    const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: {} }] }, "Done.");
    const payer = new Agent({ name: "payer", model, tools: [pay], storage: new InMemoryStorage() });
    const storage = new InMemoryStorage();
    const client = createClient({ baseUrl: await serveOn("node:http", { agents: { payer }, storage, durable: true }) });

    const waiting = await client.agent("payer").run("Pay.");
    if (waiting.status !== "waiting") throw new Error("The run does not wait.");
    await client.runs.answer(waiting.runId, waiting.waits[0]?.waitId ?? "", { approved: true });
    const events = await eventsOf(client.runs.events(waiting.runId));

    expect(events.at(-1)?.type).toBe("finish");
    expect(await client.runs.get(waiting.runId)).toMatchObject({ status: "completed", output: { text: "Done." } });
  });

  it("starts a run in the background, cancels it, and follows it to its error [client.runs]", async () => {
    const hanging = new Agent({ name: "hanging", model: new ScriptedModel({ hang: true }) });
    const storage = new InMemoryStorage();
    const client = createClient({
      baseUrl: await serveOn("node:http", { agents: { hanging }, storage, durable: true }),
    });
    const { runId } = await client.agent("hanging").start("Hi?");
    const failure = eventsOf(client.runs.events(runId)).catch((error: unknown) => error);
    await client.runs.cancel(runId);

    expect(await failure).toMatchObject({ name: "ApiError", code: "cancelled" });
  });

  it("reads, renames and removes sessions [client.runs]", async () => {
    const client = createClient({
      baseUrl: await serveOn("node:http", {
        agents: { helper: sayer("helper") },
        authenticate: ({ headers }) => ({ userId: headers.get("x-user") ?? "nobody" }),
      }),
      headers: () => ({ "x-user": "ada" }),
    });
    await client.agent("helper").run("Hi?", { sessionId: "s1" });

    expect((await client.sessions.list()).sessions).toMatchObject([{ sessionId: "s1", turns: 1 }]);
    expect(await client.sessions.rename("s1", "Trip")).toMatchObject({ title: "Trip" });
    expect(await client.sessions.turns("s1")).toMatchObject([{ seq: 1, input: "Hi?" }]);
    await client.sessions.remove("s1");
    await expect(client.sessions.get("s1")).rejects.toMatchObject({ status: 404, code: "not_found" });
  });

  it("uploads files with a text [client.runs]", async () => {
    const model = new ScriptedModel("Read.");
    const helper = new Agent({ name: "helper", model });
    const client = createClient({ baseUrl: await serveOn("express", { agents: { helper } }) });
    const files = [new File(["one"], "a\tb.txt", { type: "text/plain" })];

    await client.agent("helper").run("Read this.", { files });
    expect(JSON.stringify(model.calls[0]?.messages)).toContain('"filename":"a b.txt"');
  });

  it("has the refusals of the service as errors, and its absence too [client.runs]", async () => {
    const client = createClient({ baseUrl: await serveOn("node:http", { agents: { helper: sayer("helper") } }) });
    await expect(client.agent("nobody").run("Hi?")).rejects.toMatchObject({ status: 404, code: "not_found" });
    await expect(eventsOf(client.agent("nobody").stream("Hi?"))).rejects.toBeInstanceOf(ApiError);

    const pause = async (): Promise<void> => await Promise.resolve();
    const nowhere = createClient({ baseUrl: "http://127.0.0.1:1", pause });
    await expect(nowhere.agent("a").run("Hi?")).rejects.toMatchObject({ status: 0, code: "network" });
    await expect(eventsOf(nowhere.agent("a").stream("Hi?"))).rejects.toMatchObject({ code: "network" });
  });

  it("ends its reading but not the run when the reader leaves [client.runs]", async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `${index} `);
    const helper = new Agent({ name: "helper", model: new ScriptedModel({ text: texts }) });
    const client = createClient({ baseUrl: await serveOn("node:http", { agents: { helper } }) });
    const stream = client.agent("helper").stream("Count.");
    for await (const event of stream) if (event.type === "text") break;

    const { runId } = await stream.ids;
    const events = await eventsOf(client.runs.events(runId));
    expect(events.at(-1)?.type).toBe("finish");
  });
});
