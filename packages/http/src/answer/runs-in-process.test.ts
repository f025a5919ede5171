import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { toFrames } from "../../test/stored-runs.ts";
import { scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const body = { input: "Hello?" };
const patience = { timeout: 10_000, interval: 5 };

describe("a run that is stored in the process", () => {
  it("is joined by its key, while it is under way and after its end, without a service [http.stored-by-key]", async () => {
    const { agent, model } = scripted({ text: "Once.", delayMs: 30 });
    const service = await serve({ agents: { a: agent } });
    const ask = async () => await service.post("/agents/a/run", body, { "idempotency-key": "k" });

    const [one, other] = await Promise.all([ask(), ask()]);
    const late = await ask();

    expect([one?.json, other?.json, late.json]).toMatchObject([
      { text: "Once." },
      { text: "Once." },
      { text: "Once." },
    ]);
    expect(model.calls).toHaveLength(1);
  });

  it("has all that a plain request can carry: model, tools, metadata, messages and keys [http.stored-carries]", async () => {
    const seen: unknown[] = [];
    const look = defineTool({
      name: "look",
      description: "Looks.",
      parameters: { type: "object" },
      execute: (_args, { metadata }) => {
        seen.push(metadata);
        return "Seen.";
      },
    });
    const model = new ScriptedModel({ toolCalls: [{ name: "look" }] }, "Done.");
    const metadata = { at: new Date(0), call: () => "not JSON" };
    const service = await serve({
      agents: { a: talker("Own.") },
      runOptions: () => ({ model, tools: [look], metadata }),
    });
    const messages = [
      { role: "user", content: "Before." },
      { role: "assistant", content: "Yes." },
    ];

    const answer = await service.post(
      "/agents/a/run",
      { ...body, messages },
      { "idempotency-key": "k", "x-api-key": "sk-canary" },
    );

    expect(answer.json).toMatchObject({ text: "Done." });
    expect(seen).toEqual([metadata]);
    expect(model.calls[0]?.messages.map(({ content }) => content)).toEqual(["Before.", "Yes.", "Hello?"]);
    expect(answer.text + service.lines.join()).not.toContain("sk-canary");
  });

  it("takes uploads, whose memory is taken until its end, and knows them again by their bytes [http.stored-uploads]", async () => {
    const { agent, model } = scripted({ text: "Seen.", delayMs: 200 }, "Next.");
    const service = await serve({ agents: { a: agent }, fileUpload: { maxTotalSize: 1500 } });
    const upload = async (key: string) => {
      const form = new FormData();
      form.append("files", new File(["x".repeat(1000)], "x.png", { type: "image/png" }));
      return await service.ask("/agents/a/run", {
        method: "POST",
        headers: { "idempotency-key": key, prefer: "respond-async" },
        body: form,
      });
    };

    const first = await upload("one");
    const second = await upload("two");
    const again = await upload("one");
    const part = { type: "image", data: "eHk=", mimeType: "image/png" };
    const other = await service.post("/agents/a/run", { input: [part] }, { "idempotency-key": "one" });

    expect([first.status, second.status, again.status, other.status]).toEqual([202, 202, 202, 422]);
    expect(again.headers.get("x-run-id")).toBe(first.headers.get("x-run-id"));
    // The second upload waited for the memory of the first run.
    expect(model.calls[0]?.end).toBe("completed");
    expect(JSON.stringify(model.calls[0]?.messages)).toContain(Buffer.from("x".repeat(1000)).toString("base64"));
  });

  it("is cancelled by its id, and ends with the service", async () => {
    const { agent, model } = scripted({ hang: true });
    const service = await serve({ agents: { a: agent } });
    const asking = service.post("/agents/a/stream?early=1", body, { "idempotency-key": "k" });
    await vi.waitFor(() => expect(model.calls).toHaveLength(1), patience);
    const { headers } = await service.post("/agents/a/run", body, { "idempotency-key": "k", prefer: "respond-async" });

    const cancelled = await service.ask(`/runs/${headers.get("x-run-id")}/cancel`, { method: "POST" });

    expect(cancelled).toMatchObject({ status: 200, json: { status: "cancelled" } });
    expect(toFrames((await asking).text)).toMatchObject([{ data: { type: "error", error: { code: "cancelled" } } }]);
  });

  it("logs the cause of its failure as a plain run does", async () => {
    const model = new ScriptedModel().respond(() => ({ error: new Error("the wire broke") }));
    const service = await serve({
      agents: { a: new Agent({ name: "a", model, retry: { maxRetries: 0 }, storage: new InMemoryStorage() }) },
    });

    const { status } = await service.post("/agents/a/run", body, { "idempotency-key": "k" });

    expect(status).toBe(500);
    expect(service.lines.join()).toContain("the wire broke");
  });
});
