import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { ask, revisions, serveAgUi } from "../test/serve.ts";
import type { Received } from "../test/serve.ts";

/** Serves an agent that asks for two approvals at once, and is then at work until `goOn`. */
async function servePayer() {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    needsApproval: true,
    execute: async (args) => {
      paid.push(args);
      begun.resolve();
      await held.promise;
      return "Paid.";
    },
  });
  const calls = [1, 2].map((amount) => ({ name: "pay", arguments: { amount } }));
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: calls },
  );
  const storage = new InMemoryStorage();
  const agents = { payer: new Agent({ name: "payer", model, tools: [pay], storage }) };
  const logger = createLogger({ level: "silent" });
  const url = await serveAgUi(createService({ agents, storage, durable: true, logger }));
  return { url: `${url}/agui/agents/payer`, paid, isBegun: begun.promise, goOn: held.resolve };
}

function idsOf(events: readonly Received[]): string[] {
  const { outcome } = events.at(-1) as { outcome?: { interrupts: { id: string }[] } };
  return (outcome?.interrupts ?? []).map(({ id }) => id);
}

const resumeOf = (ids: readonly string[]) =>
  ids.map((interruptId) => ({ interruptId, status: "resolved", payload: { approved: true } }));

/** Sends answers, and returns the response once its headers have come. */
async function answerWith(ids: readonly string[], { url, revision }: { url: string; revision: string }) {
  const version = revision === "1.0.0" ? { protocolVersion: "1.0" } : {};
  const body = { threadId: "th", runId: ids.join("-"), messages: [], resume: resumeOf(ids), ...version };
  const headers = { "content-type": "application/json" };
  return await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

describe.each(revisions)("answers to a run that has them already, as revision %s sends them", (revision) => {
  it("are refused if one of them is to a question that the run has never asked [ag-ui.interrupts]", async () => {
    const { url, paid, isBegun, goOn } = await servePayer();
    const [one = "", other = ""] = idsOf(await ask(url, revision));
    const first = ask(url, revision, { messages: [], resume: resumeOf([one, other]) });
    await isBegun;
    const repeat = async (...ids: string[]) => await answerWith(ids, { url, revision });

    const known = await Promise.all([repeat(one), repeat(other), repeat(one, other), repeat(other, one)]);
    const unknown = await Promise.all([
      repeat("x"),
      repeat("x", "y"),
      repeat(one, "x"),
      repeat("x", one),
      repeat(other, "x"),
      repeat("x", other),
      repeat(one, "x", "y"),
      repeat(one, other, "x"),
      repeat(one, "x", other),
      repeat("x", one, other),
    ]);
    goOn();

    expect(known.map(({ status }) => status)).toEqual(known.map(() => 200));
    expect(unknown.map(({ status }) => status)).toEqual(unknown.map(() => 409));
    for (const response of unknown) expect(await response.text()).toContain("has no run that waits for an answer");
    for (const response of known) expect(await response.text()).toContain("Done.");
    expect((await first).at(-1)?.type).toBe("RUN_FINISHED");
    expect(paid).toHaveLength(2);
  });

  it("do nothing while it waits if one of them is to a question that it has never asked [ag-ui.interrupts]", async () => {
    const { url, paid, goOn } = await servePayer();
    const [one = "", other = ""] = idsOf(await ask(url, revision));
    goOn();
    const send = async (...ids: string[]) => await answerWith(ids, { url, revision });

    for (const ids of [
      [one, other, "ü"],
      ["ü", one, other],
      [one, "ü", other],
    ]) {
      const refused = await send(...ids);
      expect(refused.status).toBe(409);
      expect(await refused.text()).toContain('no run that waits for an answer to \\"ü\\"');
    }
    expect(paid).toEqual([]);
    expect(await (await send(one, other)).text()).toContain("Done.");
    expect(paid).toHaveLength(2);
  });
});
