import type { DeclaredStep } from "../../../src/inspector/inspected-run.ts";
import type { NodeStatus, TreeStep } from "../run-tree.ts";
import { keyOfStep } from "../step-path.ts";

/** Declared steps that run one after the other, and the prefix of their keys in the journal. */
export type GraphLevel = {
  readonly steps: readonly DeclaredStep[];
  /** All steps of the workflow that contains this step. */
  readonly all: readonly DeclaredStep[];
  readonly prefix: string;
};

/** A step in the graph of a workflow. `step` is absent if the run has not reached this step. */
export type GraphNode = { readonly declared: DeclaredStep; readonly key: string; readonly step: TreeStep | undefined };

/** Steps that run within a step. `isLeftOut` is true if the run has chosen another branch, or no branch. */
export type GraphBranch = { readonly label?: string; readonly isLeftOut: boolean; readonly level: GraphLevel };

export type StepsByKey = ReadonlyMap<string, TreeStep>;

/** Returns the steps of a run by their keys. */
export function stepsByKey(steps: readonly TreeStep[]): StepsByKey {
  const entries = function* (each: readonly TreeStep[]): Generator<[string, TreeStep]> {
    for (const step of each) {
      yield [step.key, step];
      yield* entries(step.children);
    }
  };
  return new Map(entries(steps));
}

/** Returns the level of the outermost steps of a workflow. */
export function topLevel(all: readonly DeclaredStep[], prefix = ""): GraphLevel {
  return { steps: all.filter(({ within }) => within === undefined), all, prefix };
}

/** Returns the nodes of a level, in the order of their declaration. */
export function nodesOf({ steps, prefix }: GraphLevel, byKey: StepsByKey): GraphNode[] {
  return steps.map((declared) => {
    const key = prefix + keyOfStep(declared.name);
    return { declared, key, step: byKey.get(key) };
  });
}

/** Returns the rounds of a loop, or the items of a `forEach`, that have begun. */
export function partsOf({ step }: GraphNode): readonly TreeStep[] {
  return step?.children.filter(({ kind, status }) => kind === "part" && status !== "skipped") ?? [];
}

/**
 * Returns the part to show unless the user has chosen one: the newest active part, or else the first that failed, or
 * else the last.
 */
export function partToShow(parts: readonly TreeStep[]): number {
  const active = parts.findLastIndex(({ status }) => status === "running" || status === "waiting");
  if (active !== -1) return active;
  const failed = parts.findIndex(({ status }) => status === "failed");
  return failed === -1 ? parts.length - 1 : failed;
}

/** Returns the number of steps with each status, in words: `3 completed, 1 failed`. */
export function countByStatus(steps: readonly TreeStep[]): string {
  const byStatus = Map.groupBy(steps, ({ status }): NodeStatus => status);
  return [...byStatus].map(([status, { length }]) => `${length} ${status}`).join(", ");
}

/** Returns the branches within a node. For a repeated step, returns those of the given part. */
export function branchesOf(node: GraphNode, { all, prefix }: GraphLevel, part: TreeStep | undefined): GraphBranch[] {
  const { declared, step, key } = node;
  const { name, kind, steps: ofWorkflow } = declared;
  if (ofWorkflow !== undefined) return [{ isLeftOut: false, level: topLevel(ofWorkflow, prefixWithin(part ?? step)) }];
  const inner = all.filter(({ within }) => within === name);
  const levelOf = (steps: readonly DeclaredStep[], before = prefix): GraphLevel => ({ steps, all, prefix: before });
  if (inner.length === 0) return [];
  if (kind === "parallel") return inner.map((each) => ({ isLeftOut: false, level: levelOf([each]) }));
  if (kind === "choose") return casesOf(node, inner).map(({ steps, ...rest }) => ({ ...rest, level: levelOf(steps) }));
  const before = kind === "condition" ? prefix : `${part?.key ?? `${key}/0`}/`;
  return [{ isLeftOut: step?.status === "skipped", level: levelOf(inner, before) }];
}

/** Returns the cases of a `choose` step with their steps. The journal has the key that the run has chosen. */
function casesOf({ step }: GraphNode, inner: readonly DeclaredStep[]) {
  const byCase = Map.groupBy(inner, (each) => each.case);
  const chosen = typeof step?.output === "string" ? step.output : undefined;
  const taken = chosen !== undefined && byCase.has(chosen) ? chosen : undefined;
  return [...byCase].map(([key, steps]) => ({
    label: key ?? "otherwise",
    isLeftOut: chosen !== undefined && key !== taken,
    steps,
  }));
}

/** Returns the key prefix of a nested workflow's steps. `step` is the step that runs the workflow. */
function prefixWithin(step: TreeStep | undefined): string {
  const found = step && lastWithin(step);
  // No key has this prefix, because the workflow has not begun.
  return found === undefined ? "?" : found.key.slice(0, -keyOfStep(found.name).length);
}

/** Returns the last step of the workflow that a step runs, in its last attempt. */
function lastWithin({ children }: TreeStep): TreeStep | undefined {
  const last = children.findLast(({ kind }) => kind === "step" || kind === "agent" || kind === "retry");
  return last === undefined || last.kind === "step" ? last : lastWithin(last);
}
