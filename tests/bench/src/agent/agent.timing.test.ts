import { describe, expect, it } from "vitest";
import { measureInProcess } from "../measure-in-process.ts";
import type { InProcessCost } from "../measure-in-process.ts";
import { agentTrials, heapTrial, keptTrial } from "./trials.ts";

const named = (costs: readonly InProcessCost[], name: string) => {
  const found = costs.find((cost) => cost.name === name);
  if (found === undefined) throw new Error(`Nothing was measured of ${name}.`);
  return found;
};

describe("creating an agent", () => {
  it("costs little more time than a plain class, and little memory", async () => {
    const costs = await measureInProcess(agentTrials.creation);
    const agent = named(costs, "agent");
    const withModel = named(costs, "agent with a model of its own");
    const withTool = named(costs, "agent with a tool of its own");

    expect(agent.ratio).toBeLessThanOrEqual(3);
    // The schema of its tool is compiled, so that a wrong one is refused where it is written.
    expect(withTool.ratio).toBeLessThanOrEqual(100);
    expect(agent.heapBytesPerUnit).toBeLessThanOrEqual(800);
    expect(withModel.heapBytesPerUnit).toBeLessThanOrEqual(1024);
    expect(withTool.heapBytesPerUnit).toBeLessThanOrEqual(4000);
  });
});

describe("runs", () => {
  it("leave at most 2 bytes behind each, once bounded stores are full", async () => {
    const [agent] = await measureInProcess(heapTrial);

    expect(agent?.heapBytesPerUnit).toBeLessThanOrEqual(2);
  });

  it("keep at most 30 MB for 10,000 sessions of a question and an answer of 1,400 characters", async () => {
    const [agent] = await measureInProcess(keptTrial);

    expect(agent?.heapBytesPerUnit).toBeLessThanOrEqual(3000);
  });

  it("cost the same in turn 1, 100 and 10,000 of a session", async () => {
    const costs = await measureInProcess(agentTrials["turn of a long session"]);

    expect(named(costs, "100 past turns").ratio).toBeLessThanOrEqual(1.35);
    expect(named(costs, "10000 past turns").ratio).toBeLessThanOrEqual(1.35);
  });
});
