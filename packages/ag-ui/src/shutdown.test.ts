import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { agUi } from "./index.ts";

/** Serves an agent behind a server that goes on listening while its service ends. */
async function open() {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object" },
    needsApproval: true,
    execute: () => "Paid.",
  });
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: [{ name: "pay", arguments: {} }] },
  );
  const storage = new InMemoryStorage();
  const service = createService({
    agents: { payer: new Agent({ name: "payer", model, tools: [pay], storage }) },
    storage,
    durable: true,
    logger: createLogger({ level: "silent" }),
  });
  const router = createRouter(service, [agUi()]);
  const server = createServer((request, response) => {
    router(request, response, () => response.writeHead(404).end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  await service.open();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.close({ graceMs: 0 });
  });
  const ask = async (body: object) => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/agui/agents/payer`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ threadId: "th", messages: [{ id: "u", role: "user", content: "Pay." }], ...body }),
    });
    return { status: response.status, connection: response.headers.get("connection"), text: await response.text() };
  };
  return { service, ask };
}

const resume = [{ interruptId: "t.0.0", status: "resolved", payload: { approved: true } }];

it.each([
  ["begins a run", {}],
  ["finds a run again", { runId: "r" }],
])(
  "a request that %s while the service ends is refused, and its connection closed [ag-ui.shutdown]",
  async (_, body) => {
    const { service, ask } = await open();
    expect((await ask({ threadId: "other", runId: "r" })).connection).toBe("keep-alive");
    void service.close({ graceMs: 0 });

    const { status, connection, text } = await ask({ threadId: "other", runId: "r2", ...body });

    expect([status, connection]).toEqual([503, "close"]);
    expect(text).toContain('"code":"unavailable"');
  },
);

it("an answer to a waiting run closes its connection while the service ends [ag-ui.shutdown]", async () => {
  const { service, ask } = await open();
  expect((await ask({ runId: "r" })).text).toContain('"interrupt"');
  void service.close({ graceMs: 0 });

  expect((await ask({ runId: "r2", messages: [], resume })).connection).toBe("close");
});
