import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { Agent } from "../../agents/agent/agent.ts";
import type { AgentConfig } from "../../agents/agent/agent-config.ts";
import type { ToolDef } from "../../agents/run/tool.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "../../agents/team/team.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { runnableAsTool } from "../../agents/tool/runnable-as-tool.ts";
import type { RunService } from "./run-service.ts";
import type { RunView } from "../record/run-view.ts";
import { readEvents, request, serveRuns, textOf, untilStatus } from "./test/services.ts";

const parameters = z.object({ amount: z.number(), to: z.string().default("Ada") });
const base = { name: "pay", description: "Pays an amount.", parameters };
const asks = { toolCalls: [{ name: "pay", arguments: { amount: 5 } }] };

/** A tool that counts its calls, with these options. */
function payTool(more: Partial<ToolDef> = {}) {
  const paid = vi.fn<(args: Record<string, unknown>) => string>((args) => `paid ${String(args["amount"])}`);
  return { paid, tool: defineTool({ ...base, execute: (args: Record<string, unknown>) => paid(args), ...more }) };
}

/** An agent `a` of one process, whose model follows this script. */
function agentWith(script: ConstructorParameters<typeof ScriptedModel>, config: Partial<AgentConfig> = {}): Agent {
  return new Agent({ name: "a", model: new ScriptedModel(...script), storage: new InMemoryStorage(), ...config });
}

/** Waits until this attempt at a run waits for an answer. */
async function untilWaiting(service: RunService, runId: string, attempt: number): Promise<RunView> {
  for (;;) {
    const view = await untilStatus(service, runId, "waiting");
    if (view.attempts === attempt) return view;
    await new Promise(setImmediate);
  }
}

/** Runs in one service until the run waits, and in a second one with the answers, one after the other, to its end. */
async function overRestarts(storage: StorageDriver, agents: readonly (Agent | Team)[], answers: readonly Json[]) {
  const waits: unknown[] = [];
  let runId = "";
  for (const [index, agent] of agents.entries()) {
    const kind = agent instanceof Team ? "team" : "agent";
    const service = await serveRuns({ storage, [`${kind}s`]: { a: agent } });
    if (runId === "") ({ runId } = await service.accept({ ...request, kind }));
    const answer = answers[index - 1];
    const wait = (await service.get(runId, "host")).waits?.[0];
    if (answer !== undefined && wait !== undefined) await service.answer(runId, wait.id, answer, "host");
    if (index === answers.length) {
      const events = await readEvents(service, runId);
      return { waits, events, view: await untilStatus(service, runId, "completed") };
    }
    const { waits: open = [] } = await untilWaiting(service, runId, index + 1);
    waits.push(...open);
    await service.close();
  }
  throw new Error("There are fewer agents than answers.");
}

describe("a tool that needs an approval, in a RunService", () => {
  it("is called once over a restart, when another connection has approved the call [run-log.approval]", async () => {
    const { tool, paid } = payTool({ needsApproval: true });
    const agents = [agentWith([asks], { tools: [tool] }), agentWith(["Done."], { tools: [tool] })];
    const { waits, events, view } = await overRestarts(new InMemoryStorage(), agents, [{ approved: true }]);

    expect(waits).toMatchObject([
      { id: "t.0.0", kind: "approval", about: { toolName: "pay", args: { amount: 5, to: "Ada" } } },
    ]);
    expect(textOf(events)).toBe("Done.");
    expect(events.filter(({ type }) => type === "wait")).toHaveLength(1);
    expect(view.output).toMatchObject({ toolCalls: [{ result: "paid 5" }] });
    expect(paid).toHaveBeenCalledOnce();
  });

  it("tells the model the arguments of the approval, and keeps them in the output [run-log.approval-arguments]", async () => {
    const { tool, paid } = payTool({ needsApproval: true });
    const second = new ScriptedModel("Done.");
    const agents = [
      agentWith([asks], { tools: [tool] }),
      new Agent({ name: "a", model: second, tools: [tool], storage: new InMemoryStorage() }),
    ];
    const answer = { approved: true, args: { amount: 3 } };
    const { view } = await overRestarts(new InMemoryStorage(), agents, [answer]);

    const result = 'paid 3\n[approved with other arguments: {"amount":3}]';
    expect(view.output).toMatchObject({ toolCalls: [{ args: { amount: 3 }, result }] });
    expect(second.calls[0]?.messages.at(-1)).toMatchObject({ role: "tool", content: result });
    expect(paid.mock.calls).toEqual([[{ amount: 3, to: "Ada" }]]);
  });
});

describe("a tool whose process hands the run back, in a RunService", () => {
  it("is not asked about when its result came right before that [run-log.hand-back]", async () => {
    const { tool, paid } = payTool();
    const storage = new InMemoryStorage();
    const asked = Promise.withResolvers<void>();
    const first = new ScriptedModel(asks).respond(() => {
      asked.resolve();
      return { text: "Done.", hang: true };
    });
    const config = { tools: [tool] };
    const before = await serveRuns({ storage, agents: { a: agentWith([], { ...config, model: first }) } });
    const { runId } = await before.accept(request);
    await asked.promise;
    await before.close();

    const after = await serveRuns({ storage, agents: { a: agentWith(["Done."], config) } });
    const view = await untilStatus(after, runId, "completed");

    expect(view.output).toMatchObject({ text: "Done.", toolCalls: [{ result: "paid 5" }] });
    expect(paid).toHaveBeenCalledOnce();
  });
});

describe("a tool without execute, in a RunService", () => {
  it("is executed by the client that answers [run-log.client-tool]", async () => {
    const tool = defineTool(base);
    const agents = [agentWith([asks], { tools: [tool] }), agentWith(["Thanks."], { tools: [tool] })];
    const { waits, events, view } = await overRestarts(new InMemoryStorage(), agents, [{ result: { receipt: 4 } }]);

    expect(waits).toMatchObject([{ id: "t.0.0.input", kind: "input" }]);
    expect(textOf(events)).toBe("Thanks.");
    expect(view.output).toMatchObject({ toolCalls: [{ result: '{"receipt":4}' }] });
  });
});

describe("a wait in a child run, in a RunService", () => {
  it("stops the run of the agent that asks another agent as a tool [run-log.child-waits]", async () => {
    const { tool, paid } = payTool({ needsApproval: true });
    const asksCashier = { toolCalls: [{ name: "ask_cashier", arguments: { input: "Pay." } }] };
    const agentsOf = (outer: ConstructorParameters<typeof ScriptedModel>, inner: typeof outer) => {
      const cashier = new Agent({ name: "cashier", model: new ScriptedModel(...inner), tools: [tool] });
      return agentWith(outer, { tools: [runnableAsTool(cashier)] });
    };
    const agents = [agentsOf([asksCashier], [asks]), agentsOf(["All done."], ["Paid it."])];
    const { waits, events, view } = await overRestarts(new InMemoryStorage(), agents, [{ approved: true }]);

    expect(waits).toMatchObject([{ id: "t.0.0.c0.t.0.0", kind: "approval" }]);
    expect(textOf(events)).toBe("All done.");
    expect(view.output).toMatchObject({ toolCalls: [{ toolName: "ask_cashier", result: "Paid it." }] });
    expect(paid).toHaveBeenCalledOnce();
  });

  it("stops the run of the team whose member it is [run-log.child-waits]", async () => {
    const { tool, paid } = payTool({ needsApproval: true });
    const delegates = { toolCalls: [{ name: "delegate_to_cashier", arguments: { task: "Pay." } }] };
    const teamOf = (outer: ConstructorParameters<typeof ScriptedModel>, inner: typeof outer) => {
      const cashier = new Agent({ name: "cashier", model: new ScriptedModel(...inner), tools: [tool] });
      const model = new ScriptedModel(...outer);
      return new Team({ name: "a", mode: "coordinate", model, members: [cashier], storage: new InMemoryStorage() });
    };
    const teams = [teamOf([delegates], [asks]), teamOf(["All done."], ["Paid it."])];
    const { events, view } = await overRestarts(new InMemoryStorage(), teams, [{ approved: true }]);

    expect(textOf(events)).toContain("All done.");
    expect(view.output).toMatchObject({ toolCalls: [{ toolName: "delegate_to_cashier", result: "Paid it." }] });
    expect(paid).toHaveBeenCalledOnce();
  });
});

it("a run that is cancelled while it waits leaves in its session what its tools did [run-log.cancel-keeps-calls]", async () => {
  const storage = new InMemoryStorage();
  const { tool: send, paid: sent } = payTool({ name: "send" });
  const { tool: pay, paid } = payTool({ needsApproval: true });
  const both = [{ name: "send", arguments: { amount: 1 } }, ...asks.toolCalls];
  const agent = agentWith([{ toolCalls: both }], { storage, tools: [send, pay] });
  const service = await serveRuns({ storage, agents: { a: agent } });
  const { runId } = await service.accept({ ...request, options: { ...request.options, sessionId: "s" } });
  await untilWaiting(service, runId, 1);

  expect(await service.cancel(runId, "host")).toBe("cancelled");

  expect(sent).toHaveBeenCalledTimes(1);
  expect(paid).not.toHaveBeenCalled();
  const { turns } = await agent.sessions.readTurns("s");
  expect(turns).toHaveLength(1);
  expect(turns[0]).toMatchObject({ status: "interrupted", runId });
  const results = turns[0]?.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
  expect(results?.[0]).toBe("paid 1");
  expect(results).toHaveLength(2);
  expect((await service.get(runId, "host")).output).toMatchObject({
    toolStates: [{ toolName: "send", state: "settled" }],
  });
  await expect(agent.sessions.open("s")).resolves.toMatchObject({ waitingRun: undefined });
});
