import { useMemo, useState } from "preact/hooks";
import type { DeclaredStep } from "../../src/inspector/inspected-run.ts";
import { StepsGraph } from "../inspector/graph/workflow-graph.tsx";
import { formatCount } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { toGraphSteps } from "./graph-steps.ts";
import type { AnswerPart } from "./turn.ts";
import { strings } from "../strings/strings.ts";

/** The steps of a workflow as declared, and the parts of the answer that show which of them have run. */
export type StepGraphProps = {
  readonly declared: readonly DeclaredStep[];
  readonly parts: readonly AnswerPart[];
  readonly isLive: boolean;
};

/** The steps of a workflow's run in the chat, as a graph that lights up as they run. */
export function StepGraph({ declared, parts, isLive }: StepGraphProps) {
  const own = useMemo(() => declared.map(withoutSteps), [declared]);
  const steps = useMemo(() => toGraphSteps(own, parts, isLive), [own, parts, isLive]);
  // The graph is open if the run is active when the graph is first shown. It stays open when the run ends.
  const [isOpen] = useState(isLive);
  const outermost = own.filter(({ within }) => within === undefined);
  const done = parts.filter((part) => part.type === "step" && part.status === "completed").map(nameOf);
  const count = outermost.filter(({ name }) => done.includes(name)).length;
  return (
    <details class="turn-graph" open={isOpen}>
      <summary>
        <Icon name="workflow" size={16} />
        {strings.common.steps}
        <span class="muted">{strings.parts.stepsDone(formatCount(count), formatCount(outermost.length))}</span>
        <span class="turner">
          <Icon name="chevron" size={16} />
        </span>
      </summary>
      <StepsGraph declared={own} steps={steps} />
    </details>
  );
}

function nameOf(part: AnswerPart): string | undefined {
  return part.type === "step" ? part.name : undefined;
}

/**
 * Returns a step without the steps of the workflow that it runs. An answer does not contain these steps, so that they
 * would be drawn as if they had not run.
 */
function withoutSteps(step: DeclaredStep): DeclaredStep {
  const { steps: _steps, ...own } = step;
  return own;
}
