import { describe, expect, it } from "vitest";
import type { ReasoningEffort } from "../model/model-config.ts";
import { nearestReasoningEffort } from "./nearest-reasoning-effort.ts";

describe("nearestReasoningEffort", () => {
  it.each<[ReasoningEffort, ReasoningEffort[], ReasoningEffort | undefined]>([
    ["low", ["low", "high"], "low"],
    ["medium", ["low", "high"], "high"],
    ["medium", ["high", "low"], "high"],
    ["medium", ["minimal", "low", "xhigh"], "low"],
    ["minimal", ["low", "high"], "low"],
    ["xhigh", ["low", "medium"], "medium"],
    ["none", ["none", "low"], "none"],
    ["none", ["minimal", "high"], "minimal"],
    ["none", ["high"], "high"],
    ["minimal", ["none", "xhigh"], "xhigh"],
    ["none", ["xhigh", "minimal", "low"], "minimal"],
    ["minimal", ["none", "minimal"], "minimal"],
    ["low", ["minimal", "high"], "minimal"],
    ["low", ["minimal", "medium"], "medium"],
    ["low", ["none"], undefined],
    ["none", ["none"], "none"],
    ["high", [], undefined],
  ])("of %j among %j is %j", (wanted, taken, nearest) => {
    expect(nearestReasoningEffort(wanted, taken)).toBe(nearest);
  });

  it("leaves the order of the efforts that it is given", () => {
    const taken: ReasoningEffort[] = ["high", "low"];
    nearestReasoningEffort("low", taken);

    expect(taken).toEqual(["high", "low"]);
  });
});
