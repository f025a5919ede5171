import { expect, it } from "vitest";
import { findMissing, PlanPrinter } from "./plan-print.ts";

const tool = (name: string, effect?: string) => ({ name, effect, inputSchema: { type: "object" } });
const used = (tools: string[], steps: string[] = []) => ({ tools: new Set(tools), steps: new Set(steps) });

it("has the tools of an agent, of a team's members, and of the agents of a workflow's steps, each under its path", () => {
  const agent = { tools: [tool("send")] };
  const team = { members: [{ name: "é", tools: [tool("find")], members: [{ name: "m", tools: [tool("send")] }] }] };
  const steps = [
    { name: "s", kind: "agent", agent: { tools: [tool("read")] } },
    { name: "f", kind: "function" },
  ];
  const printer = new PlanPrinter();

  expect(Object.keys(printer.print(agent).tools)).toEqual(["send"]);
  expect(Object.keys(printer.print(team).tools)).toEqual(["é/find", "é/m/send"]);
  const flow = printer.print({ plannedSteps: steps });
  expect(Object.keys(flow.tools)).toEqual(["s/read"]);
  expect(flow.steps).toEqual([
    ["s", "agent"],
    ["f", "function"],
  ]);
});

it("misses what the run has used and finds gone or changed, and nothing else", () => {
  const printer = new PlanPrinter();
  const before = printer.print({ tools: [tool("send"), tool("find"), tool("read")] });
  const now = printer.print({ tools: [tool("send", "repeatable"), tool("read")] });

  expect(findMissing(before, now, used(["send", "find"]))).toEqual([
    "The tool send has changed.",
    "The tool find is gone.",
  ]);
  expect(findMissing(before, now, used(["read"]))).toEqual([]);
});

it("misses performed steps that are gone, of another kind, or in another order", () => {
  const printer = new PlanPrinter();
  const print = (...steps: [string, string][]) =>
    printer.print({ plannedSteps: steps.map(([name, kind]) => ({ name, kind })) });
  const before = print(["a", "agent"], ["b", "function"], ["c", "agent"]);

  expect(findMissing(before, print(["b", "agent"], ["c", "agent"]), used([], ["a", "b"]))).toEqual([
    "The step a is gone.",
    "The step b has changed.",
  ]);
  const other = print(["c", "agent"], ["b", "function"], ["a", "agent"]);
  expect(findMissing(before, other, used([], ["a", "b"]))).toEqual(["Performed steps are in another order."]);
  expect(findMissing(before, other, used([], ["a"]))).toEqual([]);
});
