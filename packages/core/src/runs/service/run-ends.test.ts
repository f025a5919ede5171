import { describe, expect, it, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { LogWriter } from "../../agents/journal/log-writer.ts";
import type { ToolDef } from "../../agents/run/tool.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { makeService, request, serveRuns, untilStatus } from "./test/services.ts";

const inSession = { ...request, options: { sessionId: "s" } };
const calls = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name, arguments: {} })) });

/** A tool that counts its calls. */
function countedTool(name: string, more: Partial<ToolDef> = {}) {
  const made = vi.fn<() => string>(() => `${name} is done`);
  return {
    made,
    tool: defineTool({ name, description: "Works.", parameters: { type: "object" }, execute: () => made(), ...more }),
  };
}

/** Logs attempts at a run that ended with their process, before they had finished a step. */
async function crash(storage: StorageDriver, runId: string, times: number): Promise<void> {
  const records = await storage.list("run-log", `${runId}/`);
  const log = new LogWriter(storage).open(runId, records.length + 1);
  for (let n = records.length; n < records.length + times; n++) {
    log.add({ t: "attempt", n, id: `gone ${n}`, node: "gone", print: "" }, true);
    await log.stored();
  }
}

/** An agent `a` with a tool that was called, and one whose calls wait for an approval; and its run, which waits for that. */
async function waitingRun() {
  const storage = new InMemoryStorage();
  const [send, pay] = [countedTool("send"), countedTool("pay", { needsApproval: true })];
  const agentOf = (tools: readonly ToolDef[], ...script: ScriptedAnswer[]) =>
    new Agent({ name: "a", model: new ScriptedModel(...script), storage, tools: [...tools] });
  const before = await serveRuns({ storage, agents: { a: agentOf([send.tool, pay.tool], calls("send", "pay")) } });
  const { runId } = await before.accept(inSession);
  const { waits = [] } = await untilStatus(before, runId, "waiting");
  await before.close();
  return { storage, runId, waitId: waits[0]?.id ?? "", send, pay, agentOf };
}

/** Checks that a session has one turn, of a run that did not complete, and returns the results of its calls. */
async function interruptedResults(agent: Agent, runId: string): Promise<unknown[]> {
  const { turns } = await agent.sessions.readTurns("s");
  expect(turns).toMatchObject([{ status: "interrupted", runId, input: "Hello." }]);
  return turns.flatMap(({ messages }) => messages.flatMap(({ role, content }) => (role === "tool" ? [content] : [])));
}

describe("a run that was attempted in vain too often", () => {
  it("leaves in its session what its tools did, and lets it take other runs [durable.crashed-keeps-calls]", async () => {
    const { storage, runId, waitId, send, pay, agentOf } = await waitingRun();
    const agent = agentOf([send.tool, pay.tool], "Hello again.");
    const after = makeService({ storage, agents: { a: agent } });
    await after.answer(runId, waitId, { approved: true }, "host");
    await crash(storage, runId, 3);
    await after.serve();

    expect((await untilStatus(after, runId, "error")).error).toMatchObject({ code: "crashed" });
    expect(await interruptedResults(agent, runId)).toEqual(["send is done", expect.stringContaining("interrupted")]);
    expect([send.made, pay.made].map((made) => made.mock.calls.length)).toEqual([1, 0]);
    const other = await after.accept(inSession);
    expect((await untilStatus(after, other.runId, "completed")).output).toMatchObject({ text: "Hello again." });
  });

  it("calls nothing again that may have ended its process, be it a tool that changes nothing [durable.crashed-keeps-calls]", async () => {
    const storage = new InMemoryStorage();
    const [send, look] = [countedTool("send"), countedTool("look", { effect: "pure" })];
    const asked = Promise.withResolvers<void>();
    const endless = { ...look.tool, execute: async () => await new Promise<never>(() => asked.resolve()) } as ToolDef;
    const agentOf = (tools: ToolDef[], ...script: ScriptedAnswer[]) =>
      new Agent({ name: "a", model: new ScriptedModel(...script), storage, tools });
    const before = await serveRuns({
      storage,
      agents: { a: agentOf([send.tool, endless], calls("send"), calls("look")) },
    });
    const { runId } = await before.accept(inSession);
    await asked.promise;
    await before.close();
    await crash(storage, runId, 3);
    const agent = agentOf([send.tool, look.tool]);
    const after = await serveRuns({ storage, agents: { a: agent } });

    expect((await untilStatus(after, runId, "error")).error).toMatchObject({ code: "crashed" });
    expect(look.made).not.toHaveBeenCalled();
    expect(await interruptedResults(agent, runId)).toEqual(["send is done", expect.stringContaining("interrupted")]);
  });

  it("does no step of a workflow again [durable.crashed-keeps-calls]", async () => {
    const storage = new InMemoryStorage();
    const asked = Promise.withResolvers<void>();
    const counted = vi.fn<() => object>(() => ({}));
    const flow = (run: () => object | Promise<object>) => ({
      w: new Workflow<Record<string, unknown>>({
        name: "w",
        initialState: {},
        steps: [
          { name: "first", effect: "pure", run: () => ({ first: 1 }) },
          { name: "second", effect: "pure", run },
        ],
      }),
    });
    const endless = async () => await new Promise<never>(() => asked.resolve());
    const before = await serveRuns({ storage, workflows: flow(endless) });
    const { runId } = await before.accept({ kind: "workflow", name: "w", input: {} });
    await asked.promise;
    await before.close();
    await crash(storage, runId, 3);
    const after = await serveRuns({ storage, workflows: flow(counted) });

    const { error, output } = await untilStatus(after, runId, "error");
    expect(error).toMatchObject({ code: "crashed" });
    expect(output).toMatchObject({ state: { first: 1 } });
    expect(counted).not.toHaveBeenCalled();
  });

  it("ends without its turn when ending it has ended the process as well, and its session takes other runs [durable.crashed]", async () => {
    const { storage, runId, waitId, send, pay, agentOf } = await waitingRun();
    const agent = agentOf([send.tool, pay.tool], "Hello again.");
    const after = makeService({ storage, agents: { a: agent } });
    await after.answer(runId, waitId, { approved: true }, "host");
    await crash(storage, runId, 5);
    await after.serve();

    expect((await untilStatus(after, runId, "error")).error).toMatchObject({ code: "crashed" });
    expect((await agent.sessions.readTurns("s")).turns).toEqual([]);
    const other = await after.accept(inSession);
    expect((await untilStatus(after, other.runId, "completed")).output).toMatchObject({ text: "Hello again." });
  });
});

describe("a run that is cancelled while nothing performs it", () => {
  it("leaves in its session what its tools did when it had an answer already [run-log.cancel-keeps-calls]", async () => {
    const { storage, runId, waitId, send, pay, agentOf } = await waitingRun();
    const agent = agentOf([send.tool, pay.tool]);
    const after = makeService({ storage, agents: { a: agent } });
    await after.answer(runId, waitId, { approved: true }, "host");
    expect((await after.get(runId, "host")).status).toBe("queued");

    expect(await after.cancel(runId, "host")).toBe("cancelled");

    expect(await interruptedResults(agent, runId)).toEqual(["send is done", expect.stringContaining("interrupted")]);
    expect(pay.made).not.toHaveBeenCalled();
    await expect(agent.sessions.open("s")).resolves.toMatchObject({ waitingRun: undefined });
  });

  it("leaves in its session what its tools did when these are gone [run-log.cancel-keeps-calls]", async () => {
    const { storage, runId, agentOf } = await waitingRun();
    const agent = agentOf([]);
    const after = makeService({ storage, agents: { a: agent } });

    expect(await after.cancel(runId, "host")).toBe("cancelled");

    expect(await interruptedResults(agent, runId)).toEqual(["send is done", expect.stringContaining("interrupted")]);
    await expect(agent.sessions.open("s")).resolves.toMatchObject({ waitingRun: undefined });
  });
});
