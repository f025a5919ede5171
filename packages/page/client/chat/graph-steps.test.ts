import { describe, expect, it } from "vitest";
import type { DeclaredStep } from "../../src/inspector/inspected-run.ts";
import type { TreeStep } from "../inspector/run-tree.ts";
import { branchesOf, nodesOf, partsOf, stepsByKey, topLevel } from "../inspector/graph/graph-model.ts";
import type { GraphLevel } from "../inspector/graph/graph-model.ts";
import { toGraphSteps } from "./graph-steps.ts";
import type { AnswerPart, StepPart } from "./turn.ts";

const declared: readonly DeclaredStep[] = [
  { name: "städte", kind: "forEach" },
  { name: "look up", kind: "function", within: "städte" },
  { name: "improve", kind: "loop" },
  { name: "once", kind: "function", within: "improve" },
  { name: "travel", kind: "choose" },
  { name: "train", kind: "function", within: "travel", case: "train" },
  { name: "ship", kind: "function", within: "travel", case: "ship" },
  { name: "walk", kind: "function", within: "travel" },
  { name: "if far", kind: "condition" },
  { name: "pack", kind: "function", within: "if far" },
  { name: "ask", kind: "ask" },
];

function step(name: string, status?: StepPart["status"], durationMs?: number): StepPart {
  return { type: "step", name, parts: [], ...(status && { status }), ...(durationMs !== undefined && { durationMs }) };
}

/** Returns the names of all steps that a graph draws, with their states, and the cases that it leaves out. */
function drawn(steps: readonly TreeStep[]): string[] {
  const byKey = stepsByKey(steps);
  const linesOf = (level: GraphLevel): string[] =>
    nodesOf(level, byKey).flatMap((node) => {
      const parts = partsOf(node);
      const line = `${node.declared.name}: ${node.step?.status ?? "not run"}`;
      const shown = parts.length === 0 ? [undefined] : parts;
      return [
        line,
        ...shown.flatMap((part) => [
          ...(part === undefined ? [] : [`${part.name}: ${part.status}`]),
          ...branchesOf(node, level, part).flatMap((branch) =>
            branch.isLeftOut ? [`${branch.label ?? "all"} left out`] : linesOf(branch.level),
          ),
        ]),
      ];
    });
  return linesOf(topLevel(declared));
}

describe("the graph of a workflow in the chat [page.workflow-graph]", () => {
  it("has items and rounds, the chosen case, and what has not run", () => {
    const parts: AnswerPart[] = [
      step("städte", "completed", 5),
      step("städte/0", "completed"),
      step("städte/0/look up", "completed", 0.5),
      step("städte/1", "error"),
      step("städte/1/look up", "error"),
      step("improve", "completed"),
      step("improve/0", "completed"),
      step("improve/0/once", "completed"),
      step("travel", "completed"),
      step("ship", "completed"),
      step("if far", "skipped"),
      { type: "text", text: "é" },
    ];

    expect(drawn(toGraphSteps(declared, parts, false))).toEqual([
      "städte: completed",
      "Item 1: completed",
      "look up: completed",
      "Item 2: failed",
      "look up: failed",
      "improve: completed",
      "Round 1: completed",
      "once: completed",
      "travel: completed",
      "train left out",
      "ship: completed",
      "otherwise left out",
      "if far: skipped",
      "all left out",
      "ask: not run",
    ]);
    const [cities, item] = toGraphSteps(declared, parts, false);
    expect([cities?.durationMs, item?.durationMs]).toEqual([5, undefined]);
  });

  it("has what runs, what waits, and what a stop has cut off", () => {
    const wait = { waitId: "w.ask.question", kind: "question", about: "Who?" } as const;
    const parts: AnswerPart[] = [step("travel", "completed"), step("walk"), step("ask"), { type: "wait", wait }];

    const live = drawn(toGraphSteps(declared, parts, true));
    expect(live).toEqual(expect.arrayContaining(["train left out", "ship left out", "walk: running", "ask: waiting"]));
    expect(drawn(toGraphSteps(declared, parts.slice(0, 3), false))).toEqual(
      expect.arrayContaining(["walk: interrupted", "ask: interrupted", "städte: not run"]),
    );
    expect(toGraphSteps(declared, [], true)).toEqual([]);
  });
});
