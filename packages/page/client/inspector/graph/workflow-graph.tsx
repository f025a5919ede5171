import { useMemo, useState } from "preact/hooks";
import type { DeclaredStep } from "../../../src/inspector/inspected-run.ts";
import { formatDuration } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { toVisible } from "../../ui/unseen.ts";
import { StatusMark } from "../status-mark.tsx";
import type { RunTree, TreeStep } from "../run-tree.ts";
import { branchesOf, countByStatus, nodesOf, partsOf, partToShow, stepsByKey, topLevel } from "./graph-model.ts";
import type { GraphBranch, GraphLevel, GraphNode, StepsByKey } from "./graph-model.ts";
import { inspectorStrings } from "../../strings/inspector-strings.ts";

/** The icon of each kind of workflow step, and the kind in words. */
const kinds: Readonly<Record<string, readonly [icon: IconName, words: string]>> = {
  agent: ["agent", "agent"],
  function: ["code", "function"],
  condition: ["branch", "if"],
  parallel: ["split", inspectorStrings.parallel],
  loop: ["refresh", "loop"],
  choose: ["branch", inspectorStrings.oneOf],
  forEach: ["list", inspectorStrings.forEach],
  workflow: ["workflow", "workflow"],
  ask: ["question", inspectorStrings.asksPerson],
  waitFor: ["bell", inspectorStrings.waitsForEvent],
  sleep: ["clock", "sleeps"],
};

/** Most rounds or items that are drawn as marks. */
const mostMarks = 100;

type GraphProps = {
  /** The steps that the workflow declares. Undefined for an agent or a team, for which no graph is drawn. */
  readonly declared: readonly DeclaredStep[] | undefined;
  readonly tree: RunTree;
  readonly now: number;
  readonly selected: string | undefined;
  /** Called with the key of the step that the user selects. If undefined, the steps cannot be selected. */
  readonly onSelect?: ((key: string) => void) | undefined;
};

/** The parts of the graph's properties that each of its steps needs. */
type Drawing = Omit<GraphProps, "declared" | "tree"> & { readonly byKey: StepsByKey };

/** A workflow's declared steps as a graph, which shows the steps that a run has reached. */
export function WorkflowGraph({ declared, tree, ...drawing }: GraphProps) {
  const byKey = useMemo(() => stepsByKey(tree.steps), [tree]);
  if (declared === undefined) return null;
  return (
    <section class="graph" aria-labelledby="graph-heading">
      <h3 id="graph-heading">{inspectorStrings.workflow}</h3>
      <Flow level={topLevel(declared)} drawing={{ ...drawing, byKey }} />
    </section>
  );
}

/** The steps of a workflow as a graph that shows no more of a step than its state. */
export function StepsGraph({ declared, steps }: { declared: readonly DeclaredStep[]; steps: readonly TreeStep[] }) {
  const byKey = useMemo(() => stepsByKey(steps), [steps]);
  return (
    <div class="graph">
      <Flow level={topLevel(declared)} drawing={{ byKey, now: 0, selected: undefined }} />
    </div>
  );
}

type FlowProps = { readonly level: GraphLevel; readonly drawing: Drawing };

/** Steps that run one after the other. */
function Flow({ level, drawing }: FlowProps) {
  return (
    <ol class="flow">
      {nodesOf(level, drawing.byKey).map((node) => (
        <li key={node.key} data-reached={node.step !== undefined}>
          <Node node={node} level={level} drawing={drawing} />
        </li>
      ))}
    </ol>
  );
}

/** A step, with the steps within it. */
function Node({ node, level, drawing }: FlowProps & { readonly node: GraphNode }) {
  const [chosen, setChosen] = useState<number>();
  const parts = partsOf(node);
  const shown = Math.min(chosen ?? partToShow(parts), parts.length - 1);
  const part = parts[shown];
  const branches = branchesOf(node, level, part);
  return (
    <>
      <StepCard node={node} drawing={drawing} />
      {(branches.length > 0 || part !== undefined) && (
        <div class="within">
          {part !== undefined && <Parts parts={parts} shown={shown} onShow={setChosen} drawing={drawing} />}
          {branches.length > 0 && (
            <div class="branches">
              {branches.map((branch, index) => (
                <Branch key={branch.label ?? index} branch={branch} drawing={drawing} />
              ))}
            </div>
          )}
        </div>
      )}
    </>
  );
}

function Branch({ branch: { label, isLeftOut, level }, drawing }: { branch: GraphBranch; drawing: Drawing }) {
  return (
    <div class="branch" data-left-out={isLeftOut}>
      {label !== undefined && (
        <p class="case">
          <bdi>{toVisible(label)}</bdi>
        </p>
      )}
      <Flow level={level} drawing={drawing} />
    </div>
  );
}

/** A step: a button that shows its details, or a text if the run has not reached it or there are no details. */
function StepCard({ node: { declared, key, step }, drawing }: { node: GraphNode; drawing: Drawing }) {
  const { name, kind, runnable } = declared;
  const [icon, words] = kinds[kind] ?? ["file", kind];
  const said = (
    <>
      <Icon name={icon} size={18} />
      <span class="graph-name">
        <bdi>{toVisible(name)}</bdi>
        <small>
          {toVisible(words)}
          {runnable !== undefined && <bdi> {toVisible(runnable)}</bdi>}
        </small>
      </span>
    </>
  );
  if (step === undefined) {
    return (
      <div class="graph-step" data-kind={kind}>
        {said}
        <span class="unseen">{inspectorStrings.notRun}</span>
      </div>
    );
  }
  const { onSelect, selected, now } = drawing;
  if (onSelect === undefined) {
    return (
      <div class="graph-step" data-kind={kind} data-status={step.status}>
        {said}
        <CardEnd step={step} now={now} />
      </div>
    );
  }
  return (
    <button
      type="button"
      class="graph-step"
      data-kind={kind}
      data-status={step.status}
      aria-pressed={key === selected}
      onClick={() => onSelect(key)}
    >
      {said}
      <CardEnd step={step} now={now} />
    </button>
  );
}

/** The status and the time of a step. A completed step has a check mark. */
function CardEnd({ step: { status, durationMs, startMs }, now }: { step: TreeStep; now: number }) {
  const isGoing = status === "running" || status === "waiting";
  const ms = durationMs ?? (isGoing && startMs !== undefined ? now - startMs : undefined);
  return (
    <span class="graph-end">
      {ms !== undefined && <small>{formatDuration(Math.max(0, ms))}</small>}
      {status === "completed" ? (
        <>
          <Icon name="check" size={16} />
          <span class="unseen">{inspectorStrings.completed}</span>
        </>
      ) : (
        <StatusMark status={status} />
      )}
    </span>
  );
}

type PartsProps = {
  readonly parts: readonly TreeStep[];
  readonly shown: number;
  readonly onShow: (index: number) => void;
  readonly drawing: Drawing;
};

/** The rounds or items of a step: the shown round or item, and the status of all of them. */
function Parts({ parts, shown, onShow, drawing: { selected, onSelect } }: PartsProps) {
  const { name = "", key = "", status } = parts[shown] ?? {};
  const move = (by: number) => () => {
    const target = parts[shown + by];
    if (target === undefined) return;
    onShow(shown + by);
    onSelect?.(target.key);
  };
  const label = (
    <>
      {inspectorStrings.ofParts(name, parts.length)}
      {status !== undefined && status !== "completed" && <StatusMark status={status} />}
    </>
  );
  return (
    <div class="parts">
      <span class="part-marks" aria-hidden="true">
        {parts.slice(0, mostMarks).map((part) => (
          <i key={part.key} data-status={part.status} data-shown={part.key === key} />
        ))}
      </span>
      <span class="part-picker">
        <MoveButton name={inspectorStrings.previous} direction="previous" isEnd={shown === 0} onMove={move(-1)} />
        {onSelect === undefined ? (
          <span>{label}</span>
        ) : (
          <button type="button" class="quiet" aria-pressed={key === selected} onClick={() => onSelect(key)}>
            {label}
          </button>
        )}
        <MoveButton name={inspectorStrings.next} direction="next" isEnd={shown === parts.length - 1} onMove={move(1)} />
      </span>
      <small class="muted">{countByStatus(parts)}</small>
    </div>
  );
}

function MoveButton({
  name,
  direction,
  isEnd,
  onMove,
}: {
  name: string;
  direction: "previous" | "next";
  isEnd: boolean;
  onMove: () => void;
}) {
  return (
    <button type="button" class="quiet" data-move={direction} aria-label={name} aria-disabled={isEnd} onClick={onMove}>
      <Icon name="chevron" size={16} />
    </button>
  );
}
