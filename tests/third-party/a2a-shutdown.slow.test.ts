import { a2a } from "@troupe/a2a";
import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { createService, serve as listen } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";

type Result = { id?: string; status?: { state: string }; artifacts?: { parts: { text: string }[] }[] };
type Reply = { result?: Result; error?: { code: number; message: string } };

/** Serves an agent over A2A. */
async function serve(model: ScriptedModel, isDurable: boolean, graceMs = 50) {
  const storage = new InMemoryStorage();
  const helper = new Agent({ name: "helper", model, storage });
  const faults: string[] = [];
  const logger = createLogger({ level: "error", write: (line) => void faults.push(line) });
  const service = createService({ agents: { helper }, logger, ...(isDurable && { storage, durable: true }) });
  const { server, url } = await listen(service, [a2a({ basePath: "/" })], { port: 0, host: "127.0.0.1" });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  const close = async () => await service.close({ graceMs, drainMs: graceMs });
  const call = async (method: string): Promise<Response> => {
    const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "Hi" }] };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { message } });
    return await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  };
  return { close, server, call, faults };
}

describe("the shutdown of a service that serves A2A", () => {
  it("lets a task of the process end within the grace period, and answers its client [a2a.shutdown]", async () => {
    const model = new ScriptedModel({ text: ["One ", "two."], chunkDelayMs: 20 });
    const { close, server, call } = await serve(model, false, 60_000);
    const sent = call("message/send");
    await expect.poll(() => model.calls.length).toBe(1);
    await close();

    const { result } = (await (await sent).json()) as Reply;
    expect(result?.status?.state).toBe("completed");
    expect(server.listening).toBe(false);
  });

  it("ends one that goes on for too long, and tells its stream [a2a.shutdown]", async () => {
    const model = new ScriptedModel({ hang: true });
    const { close, call } = await serve(model, false);
    const streamed = await call("message/stream");
    await expect.poll(() => model.calls.length).toBe(1);
    await close();

    expect(await streamed.text()).toMatch(/"state":"(?:canceled|failed)"/);
  });

  it("hands a durable one back, whose stream ends as interrupted [a2a.shutdown]", async () => {
    const model = new ScriptedModel({ hang: true });
    const { close, call, faults } = await serve(model, true);
    const streamed = await call("message/stream");
    await expect.poll(() => model.calls.length).toBe(1);
    await close();

    const text = await streamed.text();
    expect(text).toContain('"error"');
    expect(text).not.toMatch(/"state":"(?:canceled|failed)"/);
    expect(faults).toEqual([]);
  });
});
