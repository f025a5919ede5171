import { expect, it } from "vitest";
import type { RunService } from "@troupe/core/runs";
import { branchesOf, nodesOf, partsOf, stepsByKey, topLevel } from "../client/inspector/graph/graph-model.ts";
import type { GraphLevel, StepsByKey } from "../client/inspector/graph/graph-model.ts";
import { toRunTree } from "../client/inspector/read-run-tree.ts";
import type { TreeStep } from "../client/inspector/run-tree.ts";
import { declaredStepsOf } from "../src/inspector/declared-steps.ts";
import { EventCollector } from "../src/inspector/inspected-events.ts";
import type { DeclaredStep, InspectedEvent } from "../src/inspector/inspected-run.ts";
import { serveRuns, voyage } from "./runs.ts";

/** Performs the voyage to its end, or to its first wait for a person. */
async function travel(service: RunService, isWhole: boolean): Promise<InspectedEvent[]> {
  const { runId } = await service.accept({ kind: "workflow", name: "voyage", input: "Hello." });
  const collector = new EventCollector("workflow", true);
  for await (const event of service.events(runId, "host")) {
    collector.add(event);
    if (event.type !== "wait") continue;
    if (!isWhole && event.wait.kind === "question") break;
    if (event.wait.kind === "question") await service.answer(runId, event.wait.id, { result: "Zoë" }, "host");
    if (event.wait.kind === "event") await service.signal(runId, "departure", { id: "1", data: 3 }, "host");
  }
  return collector.take().map(({ event }) => event);
}

function outline(steps: readonly TreeStep[], depth = 0): string[] {
  return steps.flatMap(({ kind, name, status, children }) => [
    `${"  ".repeat(depth)}${kind} ${name}: ${status}`,
    ...outline(children, depth + 1),
  ]);
}

/** Writes the graph: each step with its status, and the branches within it. */
function drawn(level: GraphLevel, byKey: StepsByKey, depth = 0): string[] {
  const indent = "  ".repeat(depth);
  return nodesOf(level, byKey).flatMap((node) => {
    const parts = partsOf(node);
    const own = `${indent}${node.declared.name}: ${node.step?.status ?? "not run"}`;
    return [
      parts.length === 0 ? own : `${own}, ${parts.length} parts`,
      ...branchesOf(node, level, parts.at(-1)).flatMap(({ label, isLeftOut, level: inner }) => [
        ...(label === undefined ? [] : [`${indent}  [${label}${isLeftOut ? ", left out" : ""}]`]),
        ...drawn(inner, byKey, depth + 1),
      ]),
    ];
  });
}

async function inspect(isWhole: boolean): Promise<{ tree: ReturnType<typeof toRunTree>; declared: DeclaredStep[] }> {
  const workflow = voyage();
  const service = await serveRuns({ workflows: { voyage: workflow } });
  const events = await travel(service, isWhole);
  const [run] = (await service.list("host", {})).runs;
  if (run === undefined) throw new Error("There is no run.");
  const declared = declaredStepsOf(workflow);
  return { tree: toRunTree({ run, steps: declared }, events), declared };
}

it("the run tree has the rounds, items, cases, waits and inner workflow of a run as steps [page.run-tree]", async () => {
  const { tree } = await inspect(true);
  const city = (number: number) => [
    `  part Item ${number}: completed`,
    "    step look: completed",
    "    step if-far: completed",
    "      step verse: completed",
    "        model Model call 1: completed",
  ];

  expect(outline(tree.steps)).toEqual([
    "step each/city: completed",
    ...city(1),
    ...city(2),
    "step said: completed",
    "  part Item 1: completed",
    "    model Model call 1: completed",
    "  part Item 2: completed",
    "    model Model call 1: completed",
    "step again: completed",
    "  part Round 1: completed",
    "    step step: completed",
    "  part Round 2: completed",
    "    step step: completed",
    "  part Round 3: skipped",
    "step pick: completed",
    "  step rail: completed",
    "step nap: completed",
    "  wait Sleeps: completed",
    "step who: completed",
    "  wait Waits for a person's answer: completed",
    "step go: completed",
    "  wait Waits for an event: completed",
    "step pack: completed",
    "  step write: completed",
    "    model Model call 1: completed",
    "  step maybe: completed",
    "    step close: completed",
  ]);
});

it("the run tree draws the declared steps of a workflow with what has run [page.workflow-graph]", async () => {
  const { tree, declared } = await inspect(true);

  expect(drawn(topLevel(declared), stepsByKey(tree.steps))).toEqual([
    "each/city: completed, 2 parts",
    "  look: completed",
    "  if-far: completed",
    "    verse: completed",
    "said: completed, 2 parts",
    "again: completed, 2 parts",
    "  step: completed",
    "pick: completed",
    "  [train]",
    "  rail: completed",
    "  [ship, left out]",
    "  sea: not run",
    "  [otherwise, left out]",
    "  walk: not run",
    "nap: completed",
    "who: completed",
    "go: completed",
    "pack: completed",
    "  write: completed",
    "  maybe: completed",
    "    close: completed",
  ]);
});

it("the run tree draws what a run has not reached, and what it waits for [page.workflow-graph]", async () => {
  const { tree, declared } = await inspect(false);
  const byKey = stepsByKey(tree.steps);

  expect(drawn(topLevel(declared), byKey).slice(-6)).toEqual([
    "who: waiting",
    "go: not run",
    "pack: not run",
    "  write: not run",
    "  maybe: not run",
    "    close: not run",
  ]);
  expect(drawn(topLevel(declared), new Map()).every((line) => !line.includes("completed"))).toBe(true);
});
