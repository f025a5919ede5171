import { expect, it } from "vitest";
import type { CitingRun } from "../run/run-steps.ts";
import { replayStep } from "./open-step.ts";
import type { StepOfKind } from "./open-step.ts";

it.each([true, undefined])("A stored tool call gives a run its sources and, if noted, their citations: %s", (cites) => {
  const given: unknown[] = [];
  const run: CitingRun = { sources: [], citesSources: false, passOnSources: (sources) => given.push(sources) };
  const step = { kind: "tool", options: { sources: { run, before: 0 } } } as unknown as StepOfKind<string>;
  const value = { result: "seen", sources: [{ id: "1" }], ...(cites && { cites }) };

  expect(replayStep({ value, ms: 0 }, step)).toBe("seen");
  expect([given, run.citesSources]).toEqual([[[{ id: "1" }]], cites === true]);
});
