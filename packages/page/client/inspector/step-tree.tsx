import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatDuration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icon.tsx";
import { StatusMark } from "./status-mark.tsx";
import type { RunTree, TreeStep } from "./run-tree.ts";
import type { StepKind } from "./step-path.ts";
import { rowsOf, targetOf } from "./tree-keys.ts";
import { toTimeScale } from "./time-scale.ts";
import type { TimeScale } from "./time-scale.ts";
import { toVisible } from "../ui/unseen.ts";
import { strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

/** The icon of each kind of step, and its name for screen readers. */
const kinds: Readonly<Record<StepKind, readonly [icon: IconName, name: string]>> = {
  model: ["thought", inspectorStrings.aModelCall],
  tool: ["tool", inspectorStrings.toolCall],
  member: ["team", inspectorStrings.member],
  agent: ["agent", strings.common.run],
  step: ["workflow", inspectorStrings.workflowStep],
  part: ["copy", inspectorStrings.roundOrItem],
  retry: ["refresh", inspectorStrings.retry],
  input: ["edit", strings.common.input],
  guardrail: ["check", inspectorStrings.guardrail],
  wait: ["pause", inspectorStrings.wait],
  other: ["file", strings.common.step],
};

type TreeProps = {
  readonly tree: RunTree;
  readonly now: number;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
};

/** The steps of a run as a tree, each with its time as a bar. The arrow keys work as in any tree. */
export function StepTree({ tree, now, selected, onSelect }: TreeProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  const rows = rowsOf(tree.steps, closed);
  const scale = toTimeScale(tree, now);
  const current = rows.some(({ step }) => step.key === selected) ? selected : rows[0]?.step.key;
  const isMoving = useRef(false);
  useEffect(() => {
    if (isMoving.current) list.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    isMoving.current = false;
  });
  const toggle = (key: string, open: boolean): void => {
    const next = new Set(closed);
    if (open) next.delete(key);
    else next.add(key);
    setClosed(next);
  };
  const move = (event: KeyboardEvent): void => {
    const target = targetOf(event.key, { rows, current, closed });
    if (target === undefined) return;
    event.preventDefault();
    isMoving.current = true;
    if (target.open === undefined) onSelect(target.key);
    else toggle(target.key, target.open);
  };
  return (
    <ul class="steps" role="tree" aria-label={strings.common.steps} ref={list} onKeyDown={move}>
      {rows.map(({ step, depth }) => (
        <StepRow
          key={step.key}
          step={step}
          depth={depth}
          isCurrent={step.key === current}
          isSelected={step.key === selected}
          isOpen={!closed.has(step.key)}
          scale={scale}
          onSelect={() => onSelect(step.key)}
          onToggle={() => toggle(step.key, closed.has(step.key))}
        />
      ))}
    </ul>
  );
}

type RowProps = {
  readonly step: TreeStep;
  readonly depth: number;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly scale: TimeScale;
  readonly onSelect: () => void;
  readonly onToggle: () => void;
};

function StepRow({ step, depth, isCurrent, isSelected, isOpen, scale, onSelect, onToggle }: RowProps) {
  const { kind, name, detail, status, children, usage } = step;
  const [icon, kindName] = kinds[kind];
  const hasChildren = children.length > 0;
  return (
    <li
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? isOpen : undefined}
      tabIndex={isCurrent ? 0 : -1}
      data-kind={kind}
      data-status={status}
      onClick={onSelect}
    >
      <span class="step-title" style={{ paddingInlineStart: `${Math.min(depth, 12) * 1.1}rem` }}>
        <span
          class="twist"
          data-open={hasChildren ? isOpen : undefined}
          aria-hidden="true"
          onClick={(event) => {
            if (hasChildren) onToggle();
            event.stopPropagation();
          }}
        >
          {hasChildren && <Icon name="chevron" size={14} />}
        </span>
        <Icon name={icon} size={16} />
        <span class="unseen">{kindName}: </span>
        <bdi>{toVisible(name)}</bdi>
        {detail !== undefined && (
          <small>
            <bdi>{toVisible(detail)}</bdi>
          </small>
        )}
        {status === "completed" ? (
          <span class="unseen">{inspectorStrings.completed}</span>
        ) : (
          <StatusMark status={status} />
        )}
      </span>
      <span class="tokens">{usage !== undefined && strings.common.tokenCount(formatCount(usage.totalTokens))}</span>
      <StepTime step={step} scale={scale} />
      <StepBar step={step} scale={scale} />
    </li>
  );
}

function StepTime({ step, scale }: { step: TreeStep; scale: TimeScale }) {
  const { durationMs, startMs, status } = step;
  const isGoing = status === "running" || status === "waiting";
  const shown = durationMs ?? (isGoing && startMs !== undefined ? scale.endMs - startMs : undefined);
  return <span class="took">{shown !== undefined && formatDuration(Math.max(0, shown))}</span>;
}

/** The time of a step as a bar. Screen readers get it as a number. */
function StepBar({ step, scale }: { step: TreeStep; scale: TimeScale }) {
  const { startMs, endMs = scale.endMs, isStartEstimated } = step;
  const from = startMs === undefined ? 0 : scale.placeOf(startMs);
  const width = startMs === undefined ? 0 : scale.placeOf(endMs) - from;
  return (
    <span class="track" aria-hidden="true">
      {scale.pauses.map(({ from: at, to, ms }) => (
        <span
          key={at}
          class="pause"
          title={inspectorStrings.nothingFor(formatDuration(ms))}
          style={{ insetInlineStart: `${at * 100}%`, width: `${(to - at) * 100}%` }}
        />
      ))}
      {startMs !== undefined && (
        <span
          class="span"
          data-estimated={isStartEstimated}
          style={{ insetInlineStart: `${from * 100}%`, width: `max(3px, ${width * 100}%)` }}
        />
      )}
    </span>
  );
}
