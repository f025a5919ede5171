import { describe, expect, it, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { logRecord } from "../../agents/journal/log-entry.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import { hashOf, PlanPrinter } from "../record/plan-print.ts";
import type { JsonSchema } from "../../schema/object-schema.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { findMissingParts, fitsElsewhere, getReady } from "./upgrade-check.ts";
import type { ServedPlans } from "./live-nodes.ts";
import type { RunServiceOptions } from "./run-service-options.ts";
import { partsOf, record } from "./test/parts.ts";

const secret = "0123456789abcdef0123456789abcdef";
const tool = (name: string, parameters: JsonSchema = { type: "object" }) =>
  defineTool({ name, description: "Works.", parameters, execute: () => "done" });
const agentOf = (...tools: ReturnType<typeof tool>[]) => new Agent({ name: "a", model: new ScriptedModel(), tools });
const print = (agent: Agent) => new PlanPrinter().print(agent);

const before = agentOf(tool("send"), tool("look"));
const called: LogEntry = { t: "call", step: "t/0", tool: "send", args: {}, effect: "once", key: "k" };

/** A run that an earlier release has performed until a call, and a service of this agent. */
async function upgraded(agent: Agent | undefined, options: RunServiceOptions = {}) {
  const made = partsOf({ ...(agent && { agents: { a: agent } }), ...options });
  const run = { ...record, plan: print(before) };
  await made.storage.set("run-log", "r/000000000001", logRecord([called]) as unknown as Json);
  return { ...made, run };
}

const changed = tool("send", { type: "object", properties: { to: { type: "string" } } });

describe("what a run misses in a process", () => {
  it.each([
    ["nothing, of the same tools", before, []],
    ["nothing, of tools that it has not called", agentOf(tool("send")), []],
    ["nothing, of more tools", agentOf(tool("send"), tool("look"), tool("pay")), []],
    ["a tool that it has called", agentOf(tool("look")), ["The tool send is gone."]],
    ["a tool that has changed", agentOf(changed), ["The tool send has changed."]],
    ["its agent", undefined, ["The agent a is gone."]],
  ])("is %s", async (_title, agent, missing) => {
    const { parts, run } = await upgraded(agent);
    expect(await findMissingParts(parts, run)).toEqual(missing);
  });

  it("is the seal key of its keys", async () => {
    const sealed = partsOf({ sealKeys: [secret] }).parts.vault.seal("r", { apiKey: "sk-1" });
    const { parts, run } = await upgraded(before, { sealKeys: [secret.toUpperCase()] });
    const keys = { ...run, ...(sealed !== undefined && { keys: sealed }) };
    expect(await findMissingParts(parts, keys)).toEqual(["The seal key that opens the caller's keys is gone."]);
    expect(await getReady(parts, keys, new Map())).toMatchObject({ wait: { kind: "upgrade" } });
    const [missing] = [await findMissingParts(parts, keys)];
    const again = new Map([[`upgrade-${hashOf(missing)}`, { choice: "again" }]]);
    expect(await getReady(parts, keys, again)).toMatchObject({ wait: { kind: "upgrade" } });
  });
});

describe("a run that is to be performed", () => {
  it("gets its target, its keys, and the plan of this process with its hash", async () => {
    const agent = agentOf(tool("send"));
    const { parts, run } = await upgraded(agent, { sealKeys: [secret] });
    const sealed = parts.vault.seal("r", { apiKey: "sk-1" });
    const keys = { ...run, ...(sealed !== undefined && { keys: sealed }) };
    const plan = print(agent);
    expect(await getReady(parts, keys, new Map())).toEqual({
      target: agent,
      keys: { apiKey: "sk-1", apiKeys: {} },
      plan,
      print: hashOf(plan),
    });
  });

  const missing = ["The tool send is gone."];
  const id = `upgrade-${hashOf(missing)}`;

  it("waits for what is missing, under an id of that alone", async () => {
    const { parts, run } = await upgraded(agentOf());
    const wait = { id, kind: "upgrade", about: { name: "a", missing } };
    expect(await getReady(parts, run, new Map())).toEqual({ wait });
    expect(await getReady(parts, run, new Map([["upgrade-other", { choice: "again" }]]))).toEqual({ wait });
    expect(await getReady(parts, run, new Map([[id, { choice: "later" }]]))).toEqual({ wait });
    expect(await getReady(parts, run, new Map([[id, null]]))).toEqual({ wait });
  });

  it("goes on without it, or is given up, by the answer", async () => {
    const { parts, run } = await upgraded(agentOf());
    expect(await getReady(parts, run, new Map([[id, { choice: "again" }]]))).toMatchObject({ plan: { tools: {} } });
    expect(await getReady(parts, run, new Map([[id, { choice: "giveUp" }]]))).toBe("giveUp");
  });

  it("waits on without its agent, whatever the answer but giving up", async () => {
    const { parts, run } = await upgraded(undefined);
    const gone = ["The agent a is gone."];
    const again = new Map([[`upgrade-${hashOf(gone)}`, { choice: "again" }]]);
    expect(await getReady(parts, run, again)).toMatchObject({ wait: { about: { name: "a", missing: gone } } });
  });
});

describe("another process", () => {
  const serving = (agent: Agent, more: Partial<ServedPlans> = {}): ServedPlans => ({
    plans: [{ kind: "agent", name: "a", plan: print(agent) }],
    sealIds: [],
    ...more,
  });

  it.each([
    [true, serving(before)],
    [true, serving(agentOf(tool("send")))],
    [false, serving(agentOf(tool("look")))],
    [false, serving(before, { plans: [] })],
    [false, serving(before, { plans: [{ kind: "team", name: "a", plan: print(before) }] })],
  ])("%# that has what the run has used fits: %s", async (fits, served) => {
    const { parts, run } = await upgraded(agentOf());
    const asked = vi
      .spyOn(parts.nodes, "someOther")
      .mockImplementation(async (check) => await Promise.resolve(check(served)));
    expect(await fitsElsewhere(parts, run)).toBe(fits);
    expect(asked).toHaveBeenCalledOnce();
  });

  it("fits with the seal key of the run's keys alone", async () => {
    const { parts, run } = await upgraded(agentOf(), { sealKeys: [secret] });
    const sealed = parts.vault.seal("r", { apiKey: "sk-1" });
    const keys = { ...run, ...(sealed !== undefined && { keys: sealed }) };
    for (const [sealIds, fits] of [
      [[], false],
      [parts.vault.sealIds, true],
    ] as const) {
      vi.spyOn(parts.nodes, "someOther").mockImplementation(
        async (check) => await Promise.resolve(check(serving(before, { sealIds }))),
      );
      expect(await fitsElsewhere(parts, keys)).toBe(fits);
    }
  });
});
