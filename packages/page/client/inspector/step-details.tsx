import type { ComponentChild } from "preact";
import type { ShownUsage } from "../../src/inspector/inspected-run.ts";
import { formatCount, formatDuration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { StatusMark } from "./status-mark.tsx";
import type { TreeStep } from "./run-tree.ts";
import { ValueView } from "./value-view.tsx";
import { toVisible } from "../ui/unseen.ts";

type DetailsProps = {
  readonly step: TreeStep;
  /** The request of a model call, as far as it is known beside the log. */
  readonly request?: ComponentChild;
  readonly onClose: () => void;
};

/** All facts in the log about one step. */
export function StepDetails({ step, request, onClose }: DetailsProps) {
  const { name, status, input, output, thinking, liveText, error, kind } = step;
  return (
    <section class="details" aria-label="Step">
      <header>
        <h3>
          <bdi>{toVisible(name)}</bdi>
        </h3>
        <StatusMark status={status} />
        <button type="button" class="quiet" aria-label="Close the step" onClick={onClose}>
          <Icon name="cross" size={16} />
        </button>
      </header>
      {error !== undefined && (
        <p class="failure">
          <Icon name="warning" size={18} />
          <span>
            <code>{toVisible(error.code)}</code> {toVisible(error.message)}
          </span>
        </p>
      )}
      <StepFacts step={step} />
      {input !== undefined && <ValueView key={`${step.key} in`} name={inputNames[kind] ?? "Input"} value={input} />}
      {input === undefined && kind !== "input" && kind !== "guardrail" && (
        <p class="muted">The log does not have what this step was given.</p>
      )}
      {thinking !== undefined && <ValueView key={`${step.key} thinking`} name="Thinking" value={thinking} />}
      {output !== undefined && <ValueView key={`${step.key} out`} name="Output" value={output} />}
      {liveText !== undefined && <ValueView key={`${step.key} live`} name="Text so far" value={liveText} />}
      {request}
    </section>
  );
}

const inputNames: Readonly<Partial<Record<TreeStep["kind"], string>>> = {
  model: "New in this call",
  tool: "Arguments",
  wait: "About",
};

function StepFacts({ step }: { step: TreeStep }) {
  const { startMs, isStartEstimated, durationMs, usage, detail, effect, attempt, wait } = step;
  const began = startMs === undefined ? undefined : new Date(startMs).toLocaleTimeString();
  const facts: readonly Fact[] = [
    ["Model", step.kind === "model" ? detail : undefined],
    ["Kind of step", step.kind === "step" ? detail : undefined],
    ["Began", isStartEstimated === true ? `${began}, about` : began],
    ["Took", durationMs === undefined ? undefined : formatDuration(durationMs)],
    ...tokenFacts(usage),
    ["Effect", effect],
    ["Attempt at the run", attempt > 1 ? String(attempt) : undefined],
    ["Until", wait?.until === undefined ? undefined : new Date(wait.until).toLocaleString()],
  ];
  return (
    <dl class="run-facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{toVisible(value)}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

type Fact = readonly [name: string, value: string | undefined];

/** Returns the tokens of a step by their kinds. */
function tokenFacts(usage: ShownUsage | undefined): Fact[] {
  if (usage === undefined) return [];
  const { promptTokens, completionTokens, cachedTokens = 0, reasoningTokens = 0 } = usage;
  return [
    ["Tokens", `${formatCount(promptTokens)} in, ${formatCount(completionTokens)} out`],
    ["Read from a cache", cachedTokens > 0 ? `${formatCount(cachedTokens)} of the tokens in` : undefined],
    ["Used for thinking", reasoningTokens > 0 ? `${formatCount(reasoningTokens)} of the tokens out` : undefined],
  ];
}
