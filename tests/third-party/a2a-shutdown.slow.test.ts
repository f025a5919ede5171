import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createA2AServer } from "@troupe/a2a";
import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { createShutdown } from "@troupe/http";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";

type Result = { id?: string; status?: { state: string }; artifacts?: { parts: { text: string }[] }[] };
type Reply = { result?: Result; error?: { code: number; message: string } };

/** Serves an agent over A2A with a shutdown. */
async function serve(model: ScriptedModel, isDurable: boolean, graceMs = 50) {
  const shutdown = createShutdown({ graceMs, drainMs: graceMs });
  const storage = new InMemoryStorage();
  const helper = new Agent({ name: "helper", model, storage });
  const runs = new RunService({ storage, agents: { helper } });
  if (isDurable) await runs.serve();
  onTestFinished(async () => await runs.close());
  const faults: string[] = [];
  const logger = createLogger({ level: "error", write: (line) => void faults.push(line) });
  const agents = { agents: { helper }, shutdown, logger, ...(isDurable && { runs }) };
  const server = createServer(express().use(createA2AServer(agents))).listen(0, "127.0.0.1");
  shutdown.attach(server);
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = async (method: string): Promise<Response> => {
    const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "Hi" }] };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { message } });
    return await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  };
  return { shutdown, server, call, faults };
}

describe("the shutdown of a service that serves A2A", () => {
  it("lets a task of the process end within the grace period, and answers its client [a2a.shutdown]", async () => {
    const model = new ScriptedModel({ text: ["One ", "two."], chunkDelayMs: 20 });
    const { shutdown, server, call } = await serve(model, false, 60_000);
    const sent = call("message/send");
    await expect.poll(() => model.calls.length).toBe(1);
    await shutdown.begin();

    const { result } = (await (await sent).json()) as Reply;
    expect(result?.status?.state).toBe("completed");
    expect(server.listening).toBe(false);
  });

  it("ends one that goes on for too long, and tells its stream [a2a.shutdown]", async () => {
    const model = new ScriptedModel({ hang: true });
    const { shutdown, call } = await serve(model, false);
    const streamed = await call("message/stream");
    await expect.poll(() => model.calls.length).toBe(1);
    await shutdown.begin();

    expect(await streamed.text()).toMatch(/"state":"(?:canceled|failed)"/);
  });

  it("hands a durable one back, whose stream ends as interrupted [a2a.shutdown]", async () => {
    const model = new ScriptedModel({ hang: true });
    const { shutdown, call, faults } = await serve(model, true);
    const streamed = await call("message/stream");
    await expect.poll(() => model.calls.length).toBe(1);
    await shutdown.begin();

    const text = await streamed.text();
    expect(text).toContain('"error"');
    expect(text).not.toMatch(/"state":"(?:canceled|failed)"/);
    expect(faults).toEqual([]);
  });
});
