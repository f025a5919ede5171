import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../test/serve.ts";

/** Serves an agent whose tools need approvals, and whose later answers wait until the test is over. */
async function serveAsker() {
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: {} },
    needsApproval: true,
    execute: async () => {
      await held.promise;
      return "Paid.";
    },
  });
  const calls = ["t1", "t2"].map((id) => ({ id, name: "pay", arguments: {} }));
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: calls },
  );
  const agents = { a: new Agent({ name: "a", model, tools: [pay], storage: new InMemoryStorage() }) };
  const service = await serve({ agents });
  const message = { id: "u1", role: "user", parts: [{ type: "text", text: "Pay." }] };
  const first = await service.post("/agents/a/ui", { id: "c1", message });
  const runId = first.headers.get("x-run-id") ?? "";
  const { view } = await service.served.servedRuns.find(runId, "host");
  const parts = (view.waits ?? []).map(({ id }) => ({
    type: "tool-pay",
    state: "approval-responded",
    approval: { id, approved: true },
  }));
  return { service, runId, body: { id: "c1", message: { id: runId, role: "assistant", parts } }, first };
}

describe("an answer in a chat that asks for an early head", () => {
  it("gets the ids of its run before any event, though the run it lets go on has nothing to say yet", async () => {
    const { service, runId, body } = await serveAsker();
    const response = await fetch(`http://127.0.0.1:${service.port}/agents/a/ui?early=1`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { headers } = response;
    await response.body?.cancel();

    expect([response.status, headers.get("x-run-id"), headers.get("x-session-id")]).toEqual([200, runId, "c1"]);
    expect(headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  });
});
