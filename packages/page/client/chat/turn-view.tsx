import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { plainLine } from "../ui/unseen.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { moveFocus } from "../ui/focus.ts";
import { formatCount, formatDuration } from "../ui/format.ts";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { memo } from "../ui/memo.tsx";
import { toSentence } from "./failure-sentence.ts";
import { PartList } from "./part-view.tsx";
import { QuestionView } from "./question-view.tsx";
import { SourceList } from "./source-list.tsx";
import { useStepGraph } from "./use-step-graph.ts";
import { isUnderWay, textOf } from "./turn.ts";
import type { Turn, TurnStatus } from "./turn.ts";
import type { AnswerWait } from "./wait-form.tsx";
import { strings } from "../strings/strings.ts";

/** The actions on a turn, which its key identifies. */
export type TurnActions = {
  /** Asks a turn's question again, with the new text if given. */
  readonly regenerate: (key: string, text?: string) => void;
  readonly answer: (key: string, waitId: string, answer: object) => Promise<void>;
  /** True if the inspector shows the steps of a turn. @default false */
  readonly hasSteps?: boolean;
};

type TurnProps = {
  readonly turn: Turn;
  readonly actions: TurnActions;
  /** False while a run is active or a turn is being replaced. */
  readonly mayRegenerate: boolean;
  readonly isLast: boolean;
};

/** A question and its answer. It is not rendered again while another turn changes. */
export const TurnView = memo(({ turn, actions, mayRegenerate, isLast }: TurnProps) => {
  const { key, kind, name, parts, sources, failure, question } = turn;
  const isLive = isUnderWay(turn);
  const graph = useStepGraph(turn);
  const article = useRef<HTMLElement>(null);
  const onAnswer = useCallback<AnswerWait>(
    async (waitId, answer) => {
      await actions.answer(key, waitId, answer);
      moveFocus(article.current, article.current);
    },
    [actions, key],
  );
  const regenerate = mayRegenerate ? (text?: string) => actions.regenerate(key, text) : undefined;
  const isAsked = question.text !== "" || question.files.length > 0;
  return (
    <article class="turn" aria-busy={turn.status === "running"} ref={article} tabIndex={-1}>
      {isAsked && <QuestionView question={question} onEdit={regenerate} />}
      <div class="answer">
        <p class="speaker">
          <Face kind={kind} name={name} />
          {plainLine(name)}
        </p>
        {graph !== undefined && <graph.Graph declared={graph.declared} parts={parts} isLive={isLive} />}
        <PartList parts={parts} isLive={isLive} onAnswer={onAnswer} hasGraph={graph !== undefined} />
        {turn.status === "running" && <Activity isBroken={turn.isBroken === true} hasParts={parts.length > 0} />}
        {sources.length > 0 && <SourceList sources={sources} />}
        {failure !== undefined && (
          <p class="failure" role="alert">
            <Icon name="warning" size={18} />
            {toSentence(failure)}
          </p>
        )}
        {!isLive && (
          <TurnFooter
            turn={turn}
            isLast={isLast}
            onRegenerate={regenerate && (() => regenerate())}
            hasSteps={actions.hasSteps === true}
          />
        )}
      </div>
    </article>
  );
});

/** Shows while an answer is unfinished that more of it will arrive, or that the connection is broken. */
function Activity({ isBroken, hasParts }: { isBroken: boolean; hasParts: boolean }) {
  if (isBroken) return <p class="activity">{strings.turn.broken}</p>;
  return (
    <p class="activity" data-quiet={hasParts}>
      <span class="dots">
        <span />
        <span />
        <span />
      </span>
      <span class="unseen">{strings.turn.onItsWay}</span>
    </p>
  );
}

const endings: Readonly<Partial<Record<TurnStatus, string>>> = {
  cancelled: strings.turn.stopped,
  interrupted: strings.turn.cutOff,
};

type FooterProps = {
  turn: Turn;
  isLast: boolean;
  onRegenerate: (() => void) | undefined;
  /** True if the inspector shows the steps of runs. */
  hasSteps: boolean;
};

function TurnFooter({ turn, isLast, onRegenerate, hasSteps }: FooterProps) {
  const [isAsking, setAsking] = useState(false);
  const { runId, usage, parts } = turn;
  return (
    <footer class="turn-foot">
      <span class="actions">
        <CopyButton text={textOf(parts)} name={strings.turn.copy} />
        {onRegenerate !== undefined && (
          <button
            type="button"
            class="quiet"
            onClick={isLast ? onRegenerate : () => setAsking(true)}
            aria-label={strings.turn.again}
            title={strings.turn.again}
          >
            <Icon name="refresh" size={16} />
          </button>
        )}
      </span>
      <span class="facts">
        {usage !== undefined && (
          <span title={strings.common.inAndOut(formatCount(usage.promptTokens), formatCount(usage.completionTokens))}>
            {strings.common.tokenCount(formatCount(usage.totalTokens))}
          </span>
        )}
        {factsOf(turn).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {hasSteps && runId !== undefined && (
          <span>
            <a href={`#/inspector/${encodeURIComponent(runId)}`}>{strings.inbox.showSteps}</a>
          </span>
        )}
      </span>
      {isAsking && onRegenerate !== undefined && (
        <DeleteLater onDelete={onRegenerate} onKeep={() => setAsking(false)} />
      )}
    </footer>
  );
}

function factsOf({ firstTokenMs, durationMs, status, isUnstored }: Turn): string[] {
  const facts = [
    endings[status],
    isUnstored === true ? strings.turn.onlyHere : undefined,
    firstTokenMs === undefined ? undefined : strings.turn.firstToken(formatDuration(firstTokenMs)),
    durationMs === undefined ? undefined : strings.turn.inAll(formatDuration(durationMs)),
  ];
  return facts.filter((fact) => fact !== undefined);
}

/** Asks for confirmation before a turn with later turns is answered again, because the later turns are deleted. */
function DeleteLater({ onDelete, onKeep }: { onDelete: () => void; onKeep: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => keep.current?.focus(), []);
  return (
    <div class="confirm" role="group" aria-label={strings.turn.laterDeleted}>
      <span>{strings.turn.laterDeletedHere}</span>
      <button type="button" class="danger" onClick={onDelete}>
        {strings.turn.deleteAndAsk}
      </button>
      <button type="button" ref={keep} onClick={onKeep}>
        {strings.common.keep}
      </button>
    </div>
  );
}

/**
 * Returns a sentence for screen readers when the last answer is complete, failed or waits. It is announced once, and
 * not for each piece.
 */
export function useAnnouncement(turn: Turn | undefined): string {
  const [announced, setAnnounced] = useState("");
  const state = turn === undefined ? "" : `${turn.key} ${turn.status}`;
  const [before, setBefore] = useState(state);
  useEffect(() => {
    if (state === before) return;
    setBefore(state);
    // Turns that were loaded from the service, instead of being answered just now, are not announced.
    const isNews = turn !== undefined && before.startsWith(turn.key);
    setAnnounced(isNews ? sentenceOf(turn) : "");
  }, [state]);
  return announced;
}

function sentenceOf({ status, name, parts }: Turn): string {
  switch (status) {
    case "running":
      return "";
    case "waiting":
      return strings.turn.asks(name);
    case "completed":
      return strings.turn.answered(name, textOf(parts).slice(0, 600));
    default:
      return strings.turn.endedEarly(name);
  }
}
