import { describe, expect, it } from "vitest";
import { canServe, describeServed, isNodeRecord } from "./live-nodes.ts";
import type { ServedPlans } from "./live-nodes.ts";

const plan = { tools: { send: "1", find: "2" } };
const served: ServedPlans = {
  plans: [
    { kind: "agent", name: "é", plan },
    { kind: "team", name: "t", plan: { tools: {} } },
  ],
  sealIds: ["a", "b"],
};
const run = { kind: "agent", name: "é", plan } as const;
const use = { tools: new Set(["send"]), steps: new Set<string>() };

describe("a process can go on with a run", () => {
  it.each([
    ["of a runnable that it has, without keys", run, undefined, true],
    ["whose keys it can open", run, "b", true],
    ["not of one whose keys it cannot open", run, "c", false],
    ["not of another name", { ...run, name: "e" }, undefined, false],
    ["not of another kind with the name", { ...run, kind: "team" as const }, undefined, false],
    ["although a tool has changed that was not used", { ...run, plan: { tools: { send: "1", find: "3" } } }, "a", true],
    ["not if one has changed that was", { ...run, plan: { tools: { send: "0", find: "2" } } }, "a", false],
    ["although it has tools that were not there", { ...run, plan: { tools: { send: "1" } } }, undefined, true],
  ])("%s", (...[, record, sealId, can]) => {
    expect(canServe(served, record, { use, sealId })).toBe(can);
  });
});

it("a process describes its agents, teams and workflows by kind and name, and names its seal keys", () => {
  const registries = { agents: { a: {} }, teams: new Map([["a", {}]]), workflows: { a: {} } };
  const parts = { registries, printer: { print: () => plan }, vault: { sealIds: ["x"] } };
  expect(describeServed(parts as never)).toEqual({
    plans: ["agent", "team", "workflow"].map((kind) => ({ kind, name: "a", plan })),
    sealIds: ["x"],
  });
});

const record = { v: 1, heartbeat: 0, name: "n", serves: served };

it.each([[record], [{ ...record, serves: { plans: [], sealIds: [] }, more: 1 }]])(
  "a value is the record of a process: %j",
  (value) => {
    expect(isNodeRecord(value)).toBe(true);
  },
);

it.each([
  [null],
  [{ ...record, v: 2 }],
  [{ ...record, heartbeat: -1 }],
  [{ ...record, serves: undefined }],
  [{ ...record, serves: null }],
  [{ ...record, serves: { plans: [] } }],
  [{ ...record, serves: { plans: [], sealIds: [1] } }],
  [{ ...record, serves: { plans: [{ kind: "agent", plan }], sealIds: [] } }],
  [{ ...record, serves: { plans: [{ kind: "agent", name: "a", plan: {} }], sealIds: [] } }],
])("a value is no record of a process: %j", (value) => {
  expect(isNodeRecord(value)).toBe(false);
});
