import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, inject, it } from "vitest";
import { teller } from "../test/agents.ts";
import { serve } from "../test/serve.ts";

const messages = [{ role: "user", content: "Hi" }];

describe("a request while the service ends", () => {
  it.each([
    ["/v1/chat/completions", { model: "teller", messages }],
    ["/v1/chat/completions", { model: "teller", messages, stream: true }],
    ["/v1/responses", { model: "teller", input: "Hi" }],
    ["/v1/responses", { model: "teller", input: "Hi", stream: true }],
    ["/v1/responses", { model: "teller", input: "Hi", background: true }],
  ])(
    "a request while the service ends to %s with %j is refused as this API does, and its connection closes [openai-api.shutdown]",
    async (path, body) => {
      const { service, post } = await serve({
        agents: { teller: teller() },
        storage: new InMemoryStorage(),
        durable: true,
      });
      expect((await post(path, body)).status).toBe(200);
      void service.close({ graceMs: 0 });

      const { status, headers, json } = await post(path, body);

      // A web-standard handler has no connection to close.
      expect([status, headers.get("connection")]).toEqual([503, inject("httpServer") === "fetch" ? null : "close"]);
      expect(json).toMatchObject({ error: { code: "unavailable", message: expect.any(String) as string } });
    },
  );

  it.each([
    ["/v1/chat/completions", { model: "slow", messages, stream: true }],
    ["/v1/responses", { model: "slow", input: "Hi", stream: true }],
  ])(
    "a request while the service ends that began before is answered to its end within the grace: %s [openai-api.shutdown]",
    async (path, body) => {
      const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const wait = defineTool({
        name: "wait",
        description: "Waits.",
        parameters: { type: "object" },
        execute: async () => {
          asked.resolve();
          await held.promise;
          return "waited";
        },
      });
      const model = new ScriptedModel({ toolCalls: [{ name: "wait", arguments: {} }] }, "Fertig é.");
      const { service, post } = await serve({ agents: { slow: new Agent({ name: "slow", model, tools: [wait] }) } });
      const answer = post(path, body);
      await asked.promise;
      const closed = service.close({ graceMs: 60_000 });
      held.resolve();

      const { status, text } = await answer;
      await closed;
      expect(status).toBe(200);
      expect(text).toMatch(/Fertig [^]*é\./);
      expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
    },
  );
});
