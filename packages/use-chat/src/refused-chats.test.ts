import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { openChat } from "../test/chat.ts";
import type { TestChat } from "../test/chat.ts";
import { durable, payer } from "../test/runnables.ts";
import { as, serve } from "../test/serve.ts";
import type { ServiceClient } from "../test/service.ts";

/** Serves an agent that counts its answers and one that asks for an approval, until the service is closed. */
async function serveChats() {
  let count = 0;
  const model = new ScriptedModel().respond(() => `Answer ${++count}.`);
  const agents = {
    counter: new Agent({ name: "counter", model, storage: new InMemoryStorage() }),
    payer: payer().agent,
  };
  const runs = await durable({ agents, admission: { maxQueued: 100, perCaller: 2 } });
  const host: { metadata?: Record<string, unknown> } = {};
  const service = await serve({ agents, runs, runOptions: () => host });
  return { service, runs, host };
}

async function chatTwice(service: ServiceClient): Promise<TestChat> {
  const open = openChat(service, "/agents/counter/ui", { id: "c1", headers: as("ada") });
  await open.chat.sendMessage({ text: "First?" });
  await open.chat.sendMessage({ text: "Second?" });
  return open;
}

describe("a message of useChat that is refused", () => {
  it("replaces no turn and cancels no run of a user who has too many open runs [http.ui-regenerate]", async () => {
    const { service, runs } = await serveChats();
    const open = await chatTwice(service);
    const waiting = openChat(service, "/agents/payer/ui", { id: "c2", headers: as("ada") });
    await waiting.chat.sendMessage({ text: "Pay." });
    const other = openChat(service, "/agents/payer/ui", { id: "c3", headers: as("ada") });
    await other.chat.sendMessage({ text: "Pay." });
    const runId = waiting.chat.messages.at(-1)?.id ?? "";

    await open.chat.regenerate();
    await waiting.chat.sendMessage({ text: "Or rather pay this." });
    const { json } = await service.ask("/sessions/c1/turns", { headers: as("ada") });

    for (const { chat } of [open, waiting])
      expect(JSON.parse(chat.error?.message ?? "{}")).toMatchObject({ error: { code: "rate_limited" } });
    expect(json).toMatchObject({ turns: [{ input: "First?" }, { input: "Second?" }] });
    expect(await runs.get(runId, "host")).toMatchObject({ status: "waiting" });
  });

  it("replaces no turn when the service of its run is closed [http.ui-regenerate]", async () => {
    const { service, runs } = await serveChats();
    const open = await chatTwice(service);

    await runs.close();
    await open.chat.regenerate();
    const { json } = await service.ask("/sessions/c1/turns", { headers: as("ada") });

    expect(JSON.parse(open.chat.error?.message ?? "{}")).toMatchObject({ error: { code: "unavailable" } });
    expect(json).toMatchObject({ turns: [{ input: "First?" }, { input: "Second?" }] });
  });

  it("replaces no turn when the host's options of its run are refused [http.ui-regenerate]", async () => {
    const { service, host } = await serveChats();
    const open = await chatTwice(service);

    host.metadata = { callback: () => undefined };
    await open.chat.regenerate();
    const { json } = await service.ask("/sessions/c1/turns", { headers: as("ada") });

    expect(open.chat.error).toBeDefined();
    expect(json).toMatchObject({ turns: [{ input: "First?" }, { input: "Second?" }] });
  });

  it("replaces no turn while the service shuts down [http.ui-regenerate]", async () => {
    const { service } = await serveChats();
    const open = await chatTwice(service);

    await service.served.close({ graceMs: 60_000 });
    await open.chat.regenerate();
    const { json } = await service.ask("/sessions/c1/turns", { headers: as("ada") });

    expect(JSON.parse(open.chat.error?.message ?? "{}")).toMatchObject({ error: { code: "unavailable" } });
    expect(json).toMatchObject({ turns: [{ input: "First?" }, { input: "Second?" }] });
  });

  it("leaves the question that waits in its chat open while the service shuts down [http.ui-unanswered]", async () => {
    const { service, runs } = await serveChats();
    const open = openChat(service, "/agents/payer/ui", { id: "c1", headers: as("ada") });
    await open.chat.sendMessage({ text: "Pay." });
    const runId = open.chat.messages.at(-1)?.id ?? "";

    await service.served.close({ graceMs: 60_000 });
    await open.chat.sendMessage({ text: "Or rather pay this." });

    expect(open.chat.error).toBeDefined();
    expect(await runs.get(runId, "host")).toMatchObject({ status: "waiting" });
  });
});
