import { describe, expect, it } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { Team } from "../../agents/team/team.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import type { ToolDef } from "../../agents/run/tool.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import type { RunServiceOptions } from "../processes/run-service-options.ts";
import type { RunRequest } from "../record/run-view.ts";
import { readEvents, request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";

const asking = { toolCalls: [{ name: "pay", arguments: { amount: 1 } }] };

function payTool(more: Partial<ToolDef> = {}): ToolDef {
  const base = { name: "pay", description: "Pays.", parameters: { type: "object" }, needsApproval: true };
  return defineTool({ ...base, execute: () => "paid", ...more });
}

function memberTeam(member: Agent): Team {
  const model = new ScriptedModel(
    { toolCalls: [{ name: "delegate_to_ann", arguments: { task: "Pay." } }] },
    { text: "So." },
  );
  return new Team({ name: "t", mode: "coordinate", model, members: [member], storage: new InMemoryStorage() });
}

/** Lets a run wait in a first service, answers it while no service is served, and serves it with other options. */
async function upgrade(before: RunServiceOptions, after: RunServiceOptions, given: Partial<RunRequest> = {}) {
  const storage = new InMemoryStorage();
  const first = await serveRuns({ ...before, storage });
  const { runId } = await first.accept({ ...request, ...given });
  const { waits = [] } = await untilStatus(first, runId, "waiting");
  await first.drain(0);
  await first.answer(runId, waits[0]?.id ?? "", { approved: true }, "host");
  await first.close();
  const second = await serveRuns({ ...after, storage });
  const view = await untilStatus(second, runId, "waiting");
  return { storage, runId, second, wait: view.waits?.[0] };
}

describe("a run whose tools or steps have changed with a release", () => {
  it.each([
    ["gone", [], "The tool pay is gone."],
    ["of another schema", [payTool({ parameters: { type: "object", required: ["to"] } })], "The tool pay has changed."],
    ["of another effect", [payTool({ effect: "idempotent" })], "The tool pay has changed."],
  ])(
    "waits for an upgrade when a tool that it calls is %s, and writes nothing [durable.upgrade]",
    async (_, tools, missing) => {
      const { storage, wait, runId } = await upgrade(
        { agents: { a: scriptedAgent([asking], { tools: [payTool()] }) } },
        { agents: { a: scriptedAgent([], { tools }) } },
      );

      expect(wait).toMatchObject({ kind: "upgrade", about: { name: "a", missing: [missing] } });
      const logged = await storage.list("run-log");
      expect(logged.filter(({ value }) => JSON.stringify(value).includes('"attempt"'))).toHaveLength(1);
      expect(await storage.get("run-open", runId)).not.toBeNull();
    },
  );

  it("goes on when nothing that it calls has changed [durable.upgrade]", async () => {
    const storage = new InMemoryStorage();
    const other = defineTool({ name: "other", description: "New.", parameters: { type: "object" }, execute: () => "" });
    const first = await serveRuns({ agents: { a: scriptedAgent([asking], { tools: [payTool()] }) }, storage });
    const { runId } = await first.accept(request);
    await untilStatus(first, runId, "waiting");
    await first.close();
    const tools = [other, payTool({ description: "Pays well." })];
    const second = await serveRuns({ agents: { a: scriptedAgent([{ text: "Paid." }], { tools }) }, storage });
    await second.answer(runId, "t.0.0", { approved: true }, "host");

    expect((await untilStatus(second, runId, "completed")).attempts).toBe(2);
  });

  it("waits when its agent is gone, ends when it is given up, and goes on when it is told to [durable.upgrade]", async () => {
    for (const [choice, status] of [
      ["giveUp", "cancelled"],
      ["again", "completed"],
    ] as const) {
      const agents = (tools: ToolDef[]) => ({ a: scriptedAgent([{ text: "Without." }], { tools }) });
      const { second, runId, wait } = await upgrade(
        { agents: { a: scriptedAgent([asking], { tools: [payTool()] }) } },
        { agents: agents([]) },
      );
      await expect(second.answer(runId, wait?.id ?? "", { choice: "happened" }, "host")).rejects.toMatchObject({
        code: "invalid_request",
      });
      await second.answer(runId, wait?.id ?? "", { choice }, "host");
      const events = await readEvents(second, runId);
      expect(events.at(-1)?.type).toBe("end");
      await untilStatus(second, runId, status);
    }
  });

  it("looks into the members of a team and the agents of a workflow [durable.upgrade]", async () => {
    const ann = (tools: ToolDef[]) =>
      new Agent({
        name: "ann",
        model: new ScriptedModel(asking, { text: "Paid." }),
        tools,
        storage: new InMemoryStorage(),
      });
    const team = await upgrade(
      { teams: { a: memberTeam(ann([payTool()])) } },
      { teams: { a: memberTeam(ann([])) } },
      { kind: "team" },
    );
    expect(team.wait?.about).toMatchObject({ missing: ["The tool ann/pay is gone."] });

    const workflow = (tools: ToolDef[]) =>
      new Workflow({ name: "w", initialState: {}, steps: [{ name: "pay it", agent: ann(tools) }] });
    const flow = await upgrade(
      { workflows: { a: workflow([payTool()]) } },
      { workflows: { a: workflow([]) } },
      { kind: "workflow", input: "Go." },
    );
    expect(flow.wait?.about).toMatchObject({ missing: ["The tool pay it/pay is gone."] });
  });

  it("waits when a workflow step that it has performed is another one [durable.upgrade]", async () => {
    const ask = { name: "ask", agent: scriptedAgent([asking, { text: "Paid." }], { tools: [payTool()] }) };
    const steps = (name: string) => [{ name, run: () => ({ done: true }) }, ask];
    const flow = (name: string) => new Workflow({ name: "w", initialState: {}, steps: steps(name) });
    const { wait } = await upgrade(
      { workflows: { a: flow("first") } },
      { workflows: { a: flow("renamed") } },
      { kind: "workflow", input: "Go." },
    );

    expect(wait?.about).toMatchObject({ missing: ["The step first is gone."] });
  });
});
