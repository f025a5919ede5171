import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it, onTestFinished } from "vitest";
import { chatStream } from "./index.ts";

it("the platform waits for a run that goes on without its page", async () => {
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const look = defineTool({
    name: "look",
    description: "Looks.",
    parameters: { type: "object" },
    execute: async () => {
      asked.resolve();
      return await held.promise;
    },
  });
  const model = new ScriptedModel({ toolCalls: [{ name: "look", arguments: {} }] }, "Schön.");
  const agents = { a: new Agent({ name: "a", model, tools: [look], storage: new InMemoryStorage() }) };
  const service = createService({ agents, onDisconnect: "continue", logger: createLogger({ level: "silent" }) });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  const page = new AbortController();
  const body = { id: "c", message: { id: "m", role: "user", parts: [{ type: "text", text: "Hi." }] } };
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body), signal: page.signal };
  const waits: Promise<unknown>[] = [];
  const platform = { waitUntil: (work: Promise<unknown>) => void waits.push(work) };
  await createHandler(service, [chatStream()])(new Request("http://own.example/agents/a/ui", init), platform);
  await asked.promise;
  let isOver = false;
  const over = Promise.all(waits).then(() => (isOver = true));
  page.abort();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);

  expect([waits.length, isOver]).toEqual([1, false]);
  held.resolve("Blue.");
  await over;
  expect(model.calls.map(({ end }) => end)).toEqual(["completed", "completed"]);
});
