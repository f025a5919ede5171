import { Markdown } from "../markdown/markdown.tsx";
import { plainLine } from "../ui/unseen.ts";
import { DataView } from "../ui/data-view.tsx";
import { formatDuration, isObject, readJson } from "../ui/format.ts";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { memo } from "../ui/memo.tsx";
import { MemberCard, memberOf } from "./member-card.tsx";
import { ToolCard } from "./tool-card.tsx";
import { textOf } from "./turn.ts";
import type { AnswerPart, StepPart, ToolPart } from "./turn.ts";
import { WaitForm } from "./wait-form.tsx";
import type { AnswerWait } from "./wait-form.tsx";
import { strings } from "../strings/strings.ts";

/**
 * The context of a part of an answer. `isLive`: the part may still grow. `onAnswer`: answers its questions. `hasGraph`: a
 * graph above the answer shows which steps have run, so that steps without words of their own are left out.
 */
type PartContext = { readonly isLive: boolean; readonly onAnswer: AnswerWait; readonly hasGraph?: boolean };

/** The parts of an answer, in their order. */
export function PartList({ parts, ...context }: PartContext & { parts: readonly AnswerPart[] }) {
  return (
    <>
      {parts.map((part, index) => (
        <PartView
          key={index}
          part={part.type === "state" ? withoutSteps(part, parts) : part}
          {...context}
          isLive={context.isLive && isUnfinished(part, index === parts.length - 1)}
        />
      ))}
    </>
  );
}

/**
 * Returns a workflow's final state without the answers of its steps: the state contains them under the steps' names,
 * but they are already shown.
 */
function withoutSteps(part: Extract<AnswerPart, { type: "state" }>, parts: readonly AnswerPart[]): AnswerPart {
  if (!isObject(part.state)) return part;
  const texts = new Map(stepsIn(parts).map((step) => [step.name, textOf(step.parts)]));
  const fields = Object.entries(part.state).filter(([name, value]) => value === "" || texts.get(name) !== value);
  return { type: "state", state: Object.fromEntries(fields) };
}

function stepsIn(parts: readonly AnswerPart[]): StepPart[] {
  return parts.flatMap((part) => (part.type === "step" ? [part, ...stepsIn(part.parts)] : []));
}

/**
 * Returns true if a part of an unfinished answer may still change. These are the last part, and each tool call and
 * step.
 */
function isUnfinished(part: AnswerPart, isLast: boolean): boolean {
  return isLast || part.type === "tool" || part.type === "step";
}

/** A part of an answer. It is not rendered again while another part grows. */
const PartView = memo(({ part, ...context }: PartContext & { part: AnswerPart }) => {
  switch (part.type) {
    case "text":
      return (
        <>
          {part.speaker !== undefined && <Speaker name={part.speaker} />}
          <TextView text={part.text} isLive={context.isLive} />
        </>
      );
    case "thinking":
      return <ThinkingView text={part.text} isLive={context.isLive} />;
    case "tool":
      return <CallView call={part} {...context} />;
    case "step":
      return context.hasGraph === true && part.parts.length === 0 ? null : <StepView step={part} {...context} />;
    case "wait":
      return <WaitForm key={part.wait.waitId} wait={part.wait} onAnswer={context.onAnswer} />;
    default:
      return <StateView state={part.state} />;
  }
});

/** A tool call, or the step of a team's member. */
function CallView({ call, ...context }: PartContext & { call: ToolPart }) {
  const member = memberOf(call);
  return member === undefined || call.isPrivate === true ? (
    <ToolCard tool={call} {...context} />
  ) : (
    <MemberCard call={call} member={member} {...context} />
  );
}

/** The member that a team has passed a question on to. */
function Speaker({ name }: { name: string }) {
  return (
    <p class="passed-on">
      <Face kind="agent" name={name} />
      <span class="muted">{strings.parts.passedOn}</span>
      <span class="member-name">{plainLine(name)}</span>
    </p>
  );
}

/** A text in Markdown. A complete text that is JSON as a whole, such as structured output, is shown as data. */
function TextView({ text, isLive }: { text: string; isLive: boolean }) {
  const data = !isLive && /^\s*[[{]/.test(text) ? readJson(text) : undefined;
  return data === undefined ? <Markdown text={text} /> : <DataView value={data} />;
}

function ThinkingView({ text, isLive }: { text: string; isLive: boolean }) {
  return (
    <details class="thinking">
      <summary>
        <Icon name="thought" size={16} />
        {isLive ? strings.parts.thinking : strings.parts.thoughts}
        <span class="turner">
          <Icon name="chevron" size={16} />
        </span>
      </summary>
      <Markdown text={text} />
    </details>
  );
}

const stepWords = {
  completed: strings.parts.done,
  skipped: strings.parts.skipped,
  error: strings.parts.failed,
  cancelled: strings.parts.cut,
} as const;

function StepView({ step, ...context }: PartContext & { step: StepPart }) {
  const { name, status, durationMs, parts } = step;
  const state = status ?? (context.isLive ? "running" : "cancelled");
  return (
    <section class="step" data-state={state} aria-label={strings.parts.stepNamed(titleOf(name))}>
      <p class="step-head">
        <span class="step-dot">{state === "running" && <span class="spinner" />}</span>
        <span class="step-name">{titleOf(name)}</span>
        <span class="muted">
          {state === "running" ? strings.parts.stepRunning : stepWords[state]}
          {durationMs !== undefined && durationMs >= 1 && ` · ${formatDuration(durationMs)}`}
        </span>
      </p>
      <PartList parts={parts} onAnswer={context.onAnswer} isLive={context.isLive && status === undefined} />
    </section>
  );
}

/** Returns the path of a step for people: `cities/0/look up` as `cities 1 › look up`. */
function titleOf(path: string): string {
  const numbered = path.replaceAll(/\/(\d+)(?=\/|$)/g, (_, index: string) => ` ${Number(index) + 1}`);
  return plainLine(numbered === path ? path : numbered.replaceAll("/", " › "));
}

function StateView({ state }: { state: unknown }) {
  return (
    <section class="state" aria-label={strings.parts.stateAtEnd}>
      <p class="label">{strings.parts.stateAtEnd}</p>
      <DataView value={state} />
    </section>
  );
}
