import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "../../agents/agent/agent.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import type { ToolDef } from "../../agents/run/tool.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import type { RunService } from "./run-service.ts";
import type { RunServiceOptions } from "../processes/run-service-options.ts";
import type { RunRequest } from "../record/run-view.ts";
import { makeService, request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";
import { SharedQueue } from "./test/shared-queue.ts";

const asking = { toolCalls: [{ name: "pay", arguments: { amount: 1 } }] };
const sessions = new InMemoryStorage();

function payTool(more: Partial<ToolDef> = {}): ToolDef {
  const base = { name: "pay", description: "Pays.", parameters: { type: "object" }, needsApproval: true };
  return defineTool({ ...base, execute: () => "paid", ...more });
}

const payer = (tools: ToolDef[]) => scriptedAgent([asking, { text: "Paid." }], { tools, storage: sessions });
const old = () => ({ agents: { a: payer([payTool()]) } });

/** A workflow with two steps before its payment, in this order. */
function flow(...names: string[]): Workflow<Record<string, unknown>> {
  const model = new ScriptedModel(asking, { text: "Paid." });
  const ask = { name: "ask", agent: new Agent({ name: "a", model, tools: [payTool()], storage: sessions }) };
  const steps = names.map((name) => ({ name, run: () => ({ [name]: true }) }));
  return new Workflow({ name: "w", initialState: {}, steps: [...steps, ask] });
}

/** Lets a run of an old release wait for an approval, while a process of the new release serves beside it. */
async function deploy(before: RunServiceOptions, after: RunServiceOptions, given: Partial<RunRequest> = {}) {
  const queue = new SharedQueue();
  const first = await serveRuns({ ...before, ...queue.node("old") });
  const { runId } = await first.accept({ ...request, ...given });
  const { waits = [] } = await untilStatus(first, runId, "waiting");
  const second = await serveRuns({ ...after, ...queue.node("new") });
  const answer = async (service: RunService) =>
    await service.answer(runId, waits[0]?.id ?? "", { approved: true }, "host");
  return { queue, first, second, runId, answer };
}

async function attemptsIn({ storage }: SharedQueue, runId: string): Promise<unknown[]> {
  const records = await storage.list("run-log", `${runId}/`);
  return records.flatMap(({ value }) =>
    (value as { entries: { t: string }[] }).entries.filter(({ t }) => t === "attempt"),
  );
}

const sealed = { keys: { apiKey: "callers-key" } };
const sealKeys = ["the secret of the first release, quite long"];
const input = { kind: "workflow", input: "Go." } as const;

describe("a run of an old release beside a new one", () => {
  it.each<[string, [RunServiceOptions, RunServiceOptions, Partial<RunRequest>?]]>([
    ["has not the tool that it calls", [old(), { agents: { a: payer([]) } }]],
    ["has the tool with another effect", [old(), { agents: { a: payer([payTool({ effect: "idempotent" })]) } }]],
    ["has not its agent", [old(), { agents: { b: payer([]) } }]],
    ["cannot open its caller's keys", [{ ...old(), sealKeys }, { ...old(), sealKeys: ["x".repeat(32)] }, sealed]],
    [
      "has its steps in another order",
      [{ workflows: { a: flow("one", "two") } }, { workflows: { a: flow("two", "one") } }, input],
    ],
  ])("goes on at the old one, when the new one %s [durable.rolling]", async (_, [before, after, given]) => {
    const { queue, first, second, runId, answer } = await deploy(before, after, given);
    await answer(second);
    const view = await untilStatus(second, runId, "completed");

    expect(view).toMatchObject({ attempts: 2, node: "old" });
    expect(queue.handedBack).toContain("new");
    expect(queue.handedBack).not.toContain("old");
    expect(await attemptsIn(queue, runId)).toHaveLength(2);
    await Promise.all([first.drain(0), second.drain(0)]);
    expect(await queue.storage.list("run-nodes")).toEqual([]);
  });

  it("waits for an upgrade only once the last process that fits is drained, and goes on when one comes back [durable.rolling]", async () => {
    const { queue, first, second, runId, answer } = await deploy(old(), { agents: { a: payer([]) } });
    await first.drain(0);
    await answer(second);
    const { waits = [] } = await untilStatus(second, runId, "waiting");
    expect(waits).toMatchObject([{ kind: "upgrade", about: { missing: ["The tool pay is gone."] } }]);

    const again = await serveRuns({
      ...old(),
      agents: { a: scriptedAgent([{ text: "Paid." }], { tools: [payTool()], storage: sessions }) },
      ...queue.node("back"),
    });
    expect(await untilStatus(again, runId, "completed")).toMatchObject({ node: "back", attempts: 2 });
  });

  it("is left to the new release when the old one has not its agent", async () => {
    const queue = new SharedQueue();
    const hi = (name: string) => ({ agents: { [name]: scriptedAgent([{ text: "Hi." }]) } });
    const second = await serveRuns({ ...hi("b"), ...queue.node("new") });
    await serveRuns({ ...hi("a"), ...queue.node("old") });
    const { runId } = await second.accept({ ...request, name: "b" });

    expect(await untilStatus(second, runId, "completed")).toMatchObject({ node: "new", attempts: 1 });
    expect(queue.handedBack).toEqual(["old"]);
  });

  it("may be performed by either release before it has used a tool", async () => {
    const queue = new SharedQueue();
    const plain = (tools: ToolDef[]) => ({
      agents: { a: scriptedAgent([{ text: "Hi." }, { text: "Hi." }], { tools }) },
    });
    const first = await serveRuns({ ...plain([payTool()]), ...queue.node("old") });
    await serveRuns({ ...plain([]), ...queue.node("new") });
    const accepted = await Promise.all([first.accept(request), first.accept(request)]);
    const views = await Promise.all(accepted.map(({ runId }) => untilStatus(first, runId, "completed")));

    expect(new Set(views.map(({ node }) => node))).toEqual(new Set(["new", "old"]));
    expect(queue.handedBack).toEqual([]);
  });

  it("waits for an upgrade when no live process opens its caller's keys [durable.rolling]", async () => {
    const other = { ...old(), sealKeys: ["x".repeat(32)] };
    const { queue, first, second, runId, answer } = await deploy({ ...old(), sealKeys }, other, sealed);
    await serveRuns({ ...other, ...queue.node("third") });
    await first.drain(0);
    await answer(second);

    expect((await untilStatus(second, runId, "waiting")).waits).toMatchObject([{ kind: "upgrade" }]);
  });

  it("is not left to a process that only accepts", async () => {
    const { queue, first, second, runId, answer } = await deploy(old(), { agents: { a: payer([]) } });
    const api = makeService({ ...old(), ...queue.node("api") });
    await first.drain(0);
    await answer(api);

    expect((await untilStatus(second, runId, "waiting")).waits).toMatchObject([{ kind: "upgrade" }]);
    expect(await queue.storage.list("run-nodes")).toHaveLength(1);
  });
});
