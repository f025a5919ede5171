import { InMemoryStorage } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { serveAgents } from "../../test/served-agents.ts";
import { post, serveHttp } from "../../test/serve-http.ts";
import { createCashier } from "../../test/task-clients.ts";

type Result = { isError?: boolean; structuredContent?: { text: string; runId: string } };

async function call(url: string, message: string): Promise<Result> {
  const reply = await post(url, "tools/call", { params: { name: "ask_helper", arguments: { message } } });
  return ((await reply.json()) as { result: Result }).result;
}

describe("a call of an agent whose runs are durable", () => {
  /** An agent that asks before it pays, whose runs are durable, and the service that stores them. */
  async function serveDurable() {
    const { cashier, paid } = createCashier();
    const { agents, model, aborted } = serveAgents();
    const options = { agents: { cashier, helper: agents.helper }, durable: true, storage: new InMemoryStorage() };
    const served = await serveHttp(options);
    const { runs } = served.server.service;
    const statuses = async () => (await runs?.list("host"))?.runs.map(({ status }) => status);
    return { ...served, model, aborted, runs, statuses, paid };
  }

  it("is stored and has the same result, with and without progress [mcp-server.durable-calls]", async () => {
    const served = await serveDurable();
    const plain = await call(served.url, "tea");
    const params = { name: "ask_helper", arguments: { message: "tea" }, _meta: { progressToken: 1 } };
    const text = await (await post(served.url, "tools/call", { params })).text();

    expect(plain).toMatchObject({ structuredContent: { text: 'You said "tea", turn 1.' } });
    expect(text).toContain(String.raw`You said \"tea\", turn 1.`);
    const { runId } = plain.structuredContent ?? {};
    const run = await served.runs?.get(String(runId), "host");
    expect(run).toMatchObject({ status: "completed", kind: "agent", name: "helper" });
  });

  it("cancels its run when its client leaves [mcp-server.cancel]", async () => {
    const served = await serveDurable();
    const abort = new AbortController();
    const params = { name: "ask_helper", arguments: { message: "hang" } };
    const asked = post(served.url, "tools/call", { params, signal: abort.signal }).catch(() => undefined);
    await expect.poll(() => served.model.calls.length).toBe(1);
    abort.abort();
    await asked;

    await expect.poll(served.aborted).toBe(1);
    await expect.poll(served.statuses).toEqual(["cancelled"]);
  });

  it.each([undefined, 1])(
    "ends where only a task could wait for an answer, with the progress token %s [mcp-server.durable-calls]",
    async (progressToken) => {
      const served = await serveDurable();
      const params = {
        name: "ask_cashier",
        arguments: { message: "Pay." },
        ...(progressToken && { _meta: { progressToken } }),
      };
      const text = await (await post(served.url, "tools/call", { params })).text();

      expect(text).toContain("The run needs an answer, such as an approval. Only a task can wait for one.");
      expect(text).toContain('"isError":true');
      expect(served.paid).toEqual([]);
      await expect.poll(served.statuses).toEqual(["cancelled"]);
    },
  );
});
