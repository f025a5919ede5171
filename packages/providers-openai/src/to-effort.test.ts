import type { ModelOptions, ReasoningEffort } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { callOf } from "../test/model-call.ts";
import type { CallSetup } from "../test/model-call.ts";
import { reportReasoning, toEffort } from "./to-effort.ts";

type Reasoning = NonNullable<ModelOptions["reasoning"]>;

describe("toEffort", () => {
  it.each<[string, Reasoning | undefined, ReasoningEffort[], ReasoningEffort | undefined, string[]]>([
    ["no reasoning", undefined, ["low"], undefined, []],
    ["no effort", { enabled: true }, ["low"], undefined, []],
    ["a budget alone", { enabled: true, budgetTokens: 0 }, ["low"], undefined, ["reasoning.budgetTokens"]],
    ["an effort beside a budget", { enabled: true, effort: "low", budgetTokens: 5 }, ["low"], "low", []],
    ["an effort that it takes", { enabled: true, effort: "high" }, ["low", "medium", "high"], "high", []],
    ["one above all", { enabled: true, effort: "xhigh" }, ["low", "medium", "high"], "high", []],
    ["one below all", { enabled: true, effort: "minimal" }, ["none", "medium", "high"], "medium", []],
    ["one between two", { enabled: true, effort: "medium" }, ["low", "high"], "high", []],
    ["none", { enabled: true, effort: "none" }, ["none", "low"], "none", []],
    ["none, which it does not take", { enabled: true, effort: "none" }, ["low"], "low", ["reasoning.effort none"]],
    ["any of a model without efforts", { enabled: true, effort: "low" }, [], undefined, []],
  ])("reads %s", (...[, reasoning, efforts, effort, reported]) => {
    const { call, omitted } = callOf({ ...(reasoning && { reasoning }) }, { rules: { efforts } });

    expect([toEffort(call), omitted]).toEqual([effort, reported]);
  });
});

describe("reportReasoning", () => {
  const always = { reasoning: true, sampling: false, efforts: ["low"] } satisfies CallSetup["rules"];

  it.each<[string, Reasoning | undefined, NonNullable<CallSetup["rules"]>, boolean]>([
    ["reports that it goes on", { enabled: false }, always, true],
    ["reports nothing that nobody asked for", undefined, always, false],
    ["reports nothing where reasoning is wanted", { enabled: true }, always, false],
    ["reports nothing of a model that does not reason", { enabled: false }, { ...always, reasoning: false }, false],
    ["reports nothing of a model that takes a temperature", { enabled: false }, { ...always, sampling: true }, false],
    [
      "reports nothing of a model that takes the effort none",
      { enabled: false },
      { ...always, efforts: ["none", "low"] },
      false,
    ],
  ])("%s", (...[, reasoning, rules, isReported]) => {
    const { call, omitted } = callOf({ ...(reasoning && { reasoning }) }, { rules });
    reportReasoning(call);

    expect(omitted).toEqual(isReported ? ["reasoning.enabled false"] : []);
  });
});
