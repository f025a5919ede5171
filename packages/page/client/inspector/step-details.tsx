import type { ComponentChild } from "preact";
import type { ShownUsage } from "../../src/inspector/inspected-run.ts";
import { formatCount, formatDuration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { StatusMark } from "./status-mark.tsx";
import type { TreeStep } from "./run-tree.ts";
import { ValueView } from "./value-view.tsx";
import { toVisible } from "../ui/unseen.ts";
import { locale, strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

type DetailsProps = {
  readonly step: TreeStep;
  /** The request of a model call, as far as it is known beside the log. */
  readonly request?: ComponentChild;
  /** A form that makes a model call again. */
  readonly again?: ComponentChild;
  readonly onClose: () => void;
};

/** All facts in the log about one step. */
export function StepDetails({ step, request, again, onClose }: DetailsProps) {
  const { name, status, input, output, thinking, liveText, error, kind } = step;
  return (
    <section class="details" aria-label={strings.common.step}>
      <header>
        <h3>
          <bdi>{toVisible(name)}</bdi>
        </h3>
        <StatusMark status={status} />
        <button type="button" class="quiet" aria-label={inspectorStrings.closeStep} onClick={onClose}>
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
      {again}
      {input !== undefined && (
        <ValueView key={`${step.key} in`} name={inputNames[kind] ?? strings.common.input} value={input} />
      )}
      {input === undefined && kind !== "input" && kind !== "guardrail" && (
        <p class="muted">{inspectorStrings.notGiven}</p>
      )}
      {thinking !== undefined && (
        <ValueView key={`${step.key} thinking`} name={inspectorStrings.thinking} value={thinking} />
      )}
      {output !== undefined && <ValueView key={`${step.key} out`} name={strings.common.output} value={output} />}
      {liveText !== undefined && <ValueView key={`${step.key} live`} name={inspectorStrings.soFar} value={liveText} />}
      {request}
    </section>
  );
}

const inputNames: Readonly<Partial<Record<TreeStep["kind"], string>>> = {
  model: inspectorStrings.newInCall,
  tool: inspectorStrings.arguments,
  wait: inspectorStrings.about,
};

function StepFacts({ step }: { step: TreeStep }) {
  const { startMs, isStartEstimated, durationMs, usage, detail, effect, attempt, wait } = step;
  const began = startMs === undefined ? undefined : new Date(startMs).toLocaleTimeString(locale);
  const facts: readonly Fact[] = [
    [inspectorStrings.model, step.kind === "model" ? detail : undefined],
    [inspectorStrings.kindOfStep, step.kind === "step" ? detail : undefined],
    [inspectorStrings.began, isStartEstimated === true ? inspectorStrings.beganAbout(began ?? "") : began],
    [inspectorStrings.took, durationMs === undefined ? undefined : formatDuration(durationMs)],
    ...tokenFacts(usage),
    [inspectorStrings.effect, effect],
    [inspectorStrings.attemptAtRun, attempt > 1 ? String(attempt) : undefined],
    [inspectorStrings.until, wait?.until === undefined ? undefined : new Date(wait.until).toLocaleString(locale)],
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
    [strings.common.tokens, strings.common.inAndOut(formatCount(promptTokens), formatCount(completionTokens))],
    [inspectorStrings.fromCache, cachedTokens > 0 ? inspectorStrings.ofTokensIn(formatCount(cachedTokens)) : undefined],
    [
      inspectorStrings.forThinking,
      reasoningTokens > 0 ? inspectorStrings.ofTokensOut(formatCount(reasoningTokens)) : undefined,
    ],
  ];
}
