import { expect, it } from "vitest";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { addUse, findMissing, hashOf, PlanPrinter } from "./plan-print.ts";

const tool = (name: string, effect?: string) => ({ name, effect, inputSchema: { type: "object" } });
const used = (tools: string[], steps: string[] = []) => ({ tools: new Set(tools), steps: new Set(steps) });

it("PlanPrint has the tools of an agent, of a team's members, and of the agents of a workflow's steps, each under its path", () => {
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

it("PlanPrint misses what the run has used and finds gone or changed, and nothing else", () => {
  const printer = new PlanPrinter();
  const before = printer.print({ tools: [tool("send"), tool("find"), tool("read")] });
  const now = printer.print({ tools: [tool("send", "repeatable"), tool("read")] });

  expect(findMissing(before, now, used(["send", "find"]))).toEqual([
    "The tool send has changed.",
    "The tool find is gone.",
  ]);
  expect(findMissing(before, now, used(["read"]))).toEqual([]);
});

it("PlanPrint misses a tool of a member that the run has used by its name, under its path", () => {
  const team = (...names: string[]) => ({ members: [{ name: "writer", tools: names.map((name) => tool(name)) }] });
  const [before, now] = [team("send", "find"), team("find")].map((each) => new PlanPrinter().print(each));
  expect(findMissing(before ?? { tools: {} }, now ?? { tools: {} }, used(["send"]))).toEqual([
    "The tool writer/send is gone.",
  ]);
});

it("PlanPrint misses performed steps that are gone, of another kind, or in another order", () => {
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

const call = { t: "call", tool: "charge", args: {}, effect: "once", key: "k" } as const;
const done = (step: string, value: Json = null) => ({ t: "done", step, value, ms: 0 }) as const;

it.each<[what: string, entries: LogEntry[], tools: string[], steps: string[]]>([
  ["a call", [{ ...call, step: "t/0" }], ["charge"], []],
  ["a call in a workflow", [{ ...call, step: "w/pay%2F1/t/0" }], ["charge"], ["pay/1"]],
  ["a step", [done("w/pay"), done("c0/w/next/m/0")], [], ["pay", "next"]],
  ["steps of items and rounds", [done("w/each/0/w/up/12/w/add%2F1/r1")], [], ["each", "up", "add/1"]],
  ["a step of an inner workflow", [done("w/inner/c0/w/add")], [], ["inner"]],
  ["an item", [done("w/each/0"), done("w/up/3/end")], [], ["each", "up"]],
  ["a step of a broken name", [done("w/%E0")], [], ["%E0"]],
  ["what is no step", [done("xw/pay"), done("m/0")], [], []],
  ["an answer", [done("m/0", { toolCalls: [{ name: "send" }, { id: "no name" }] })], ["send", ""], []],
  ["an answer within", [done("m/0", { value: { toolCalls: [{ name: "find" }], toolcalls: 1 } })], ["find"], []],
  ["chunks", [{ t: "chunks", step: "w/pay", chunks: [] }], [], ["pay"]],
  ["no step", [{ t: "left", why: "failed" }], [], []],
])("the use of a plan is read from a log with %s", (_what, entries, ...use) => {
  const found = { tools: new Set<string>(), steps: new Set<string>() };
  addUse(found, [{ number: 1, record: { v: 1, entries } }]);
  expect([[...found.tools], [...found.steps]]).toEqual(use);
  // An entry before it that belongs to no step hides nothing.
  const behind = { tools: new Set<string>(), steps: new Set<string>() };
  addUse(behind, [{ number: 1, record: { v: 1, entries: [{ t: "left", why: "failed" }, ...entries] } }]);
  expect(behind).toEqual(found);
});

it("a tool has another hash with another effect or schema, and the same in another printer and order", () => {
  const object = (properties: object) => ({ type: "object", properties });
  const print = (effect: string | undefined, parameters: object) =>
    new PlanPrinter().print({ tools: [{ name: "a", effect, parameters }] }).tools["a"];
  const [a, b] = [{ type: "string" }, { type: "number" }];
  const same = [print(undefined, object({ a, b })), print("once", object({ b, a })), print("once", object({ a, b }))];
  expect(new Set(same).size).toBe(1);
  expect(new Set([...same, print("pure", object({ a, b })), print("once", object({ a }))]).size).toBe(3);
  expect(hashOf({ a: 1, b: 2 })).toBe(hashOf({ b: 2, a: 1 }));
  expect(hashOf([1])).toMatch(/^[\da-f]{16}$/);
});

it("a print of what is no runnable has no tools and no steps", () => {
  for (const runnable of [undefined, { tools: "none", members: [null, 1], plannedSteps: {} }]) {
    expect(new PlanPrinter().print(runnable)).toStrictEqual({ tools: {} });
  }
});
