import type { DeclaredStep } from "../../src/inspector/inspected-run.ts";
import { topLevel } from "../inspector/graph/graph-model.ts";
import type { GraphLevel } from "../inspector/graph/graph-model.ts";
import type { NodeStatus, TreeStep } from "../inspector/run-tree.ts";
import { keyOfStep, stepOfWait } from "../inspector/step-path.ts";
import type { AnswerPart, StepPart } from "./turn.ts";
import { strings } from "../strings/strings.ts";

/** The workflow steps that an answer shows, with their state. */
type Shown = {
  /** The steps by their paths, such as `cities/0/look up`. */
  readonly byPath: ReadonlyMap<string, StepPart>;
  /** The keys of the steps that wait for an answer. */
  readonly waiting: ReadonlySet<string>;
  /** True while the run is active. */
  readonly isLive: boolean;
};

/** A level of steps, and the path before their names. */
type Place = { readonly level: GraphLevel; readonly path: string };

/** Returns the steps that the run of an answer has reached, in the form in which a graph shows them. */
export function toGraphSteps(
  declared: readonly DeclaredStep[],
  parts: readonly AnswerPart[],
  isLive: boolean,
): TreeStep[] {
  const byPath = new Map(parts.flatMap((part) => (part.type === "step" ? [[part.name, part] as const] : [])));
  const waits = parts.flatMap((part) => (part.type === "wait" ? [part.wait] : []));
  const waiting = new Set(waits.map(({ waitId, kind }) => stepOfWait(waitId, kind)));
  return stepsAt({ level: topLevel(declared), path: "" }, { byPath, waiting, isLive });
}

/** Returns the reached steps of a level, and all steps within them. */
function stepsAt({ level, path }: Place, shown: Shown): TreeStep[] {
  return level.steps.flatMap((declared) => {
    const key = level.prefix + keyOfStep(declared.name);
    const ownPath = path + declared.name;
    const step = shown.byPath.get(ownPath);
    if (step === undefined) return [];
    const inner = level.all.filter(({ within }) => within === declared.name);
    const own = toTreeStep(key, step, shown);
    if (declared.kind === "loop" || declared.kind === "forEach") {
      const rounds = roundsOf({ key, path: ownPath, isLoop: declared.kind === "loop" }, shown);
      const within = rounds.flatMap(({ index }) => {
        const ofRound = { steps: inner, all: level.all, prefix: `${key}/${index}/` };
        return stepsAt({ level: ofRound, path: `${ownPath}/${index}/` }, shown);
      });
      return [{ ...own, children: rounds.map(({ part }) => part) }, ...within];
    }
    const within = stepsAt({ level: { ...level, steps: inner }, path }, shown);
    const output = declared.kind === "choose" ? chosenCase(inner, { path, shown }) : undefined;
    return [{ ...own, ...(output !== undefined && { output }) }, ...within];
  });
}

/** Returns the rounds of a loop, or the items of a `forEach`, that have begun. */
function roundsOf({ key, path, isLoop }: { key: string; path: string; isLoop: boolean }, shown: Shown) {
  const rounds: { index: number; part: TreeStep }[] = [];
  for (let index = 0; ; index++) {
    const step = shown.byPath.get(`${path}/${index}`);
    if (step === undefined) return rounds;
    const part = { ...toTreeStep(`${key}/${index}`, step, shown), kind: "part" as const };
    rounds.push({
      index,
      part: { ...part, name: `${isLoop ? strings.parts.round : strings.parts.item} ${index + 1}` },
    });
  }
}

/**
 * Returns the case whose steps have begun. An empty string stands for the steps of `otherwise`, because no case has an
 * empty key.
 */
function chosenCase(inner: readonly DeclaredStep[], { path, shown }: { path: string; shown: Shown }) {
  const begun = inner.find(({ name }) => shown.byPath.has(path + name));
  return begun && (begun.case ?? "");
}

function toTreeStep(key: string, { name, status, durationMs }: StepPart, { waiting, isLive }: Shown): TreeStep {
  const open: NodeStatus = waiting.has(key) ? "waiting" : isLive ? "running" : "interrupted";
  return {
    key,
    kind: "step",
    name,
    status: status === undefined ? open : status === "error" ? "failed" : status,
    attempt: 1,
    children: [],
    ...(durationMs !== undefined && durationMs >= 1 && { durationMs }),
  };
}
