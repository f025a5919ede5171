import { useEffect, useState } from "preact/hooks";
import type { Source } from "../api/wire.ts";
import { ForeignLink } from "../markdown/markdown.tsx";
import { plainLine, readLink } from "../markdown/link.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatCount, formatDuration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { PartList } from "./part-view.tsx";
import { QuestionView } from "./question-view.tsx";
import { isOpen, textOf } from "./turn.ts";
import type { Turn, TurnStatus } from "./turn.ts";
import type { AnswerWait } from "./wait-form.tsx";

/** What can be done with a turn. */
export type TurnActions = {
  /** Asks the question again, in other words where they are given. Missing while a run is under way. */
  readonly regenerate?: ((turn: Turn, text?: string) => void) | undefined;
  readonly answer: (turn: Turn, waitId: string, answer: object) => Promise<void>;
};

/** A question and its answer. */
export function TurnView({ turn, actions }: { turn: Turn; actions: TurnActions }) {
  const { kind, name, parts, sources, failure, question } = turn;
  const isLive = isOpen(turn);
  const onAnswer: AnswerWait = async (waitId, answer) => await actions.answer(turn, waitId, answer);
  const { regenerate } = actions;
  const isAsked = question.text !== "" || question.files.length > 0;
  return (
    <article class="turn" aria-busy={isLive}>
      {isAsked && <QuestionView question={question} onEdit={regenerate && ((text) => regenerate(turn, text))} />}
      <div class="answer">
        <p class="speaker" data-kind={kind}>
          <span class="face">
            <Icon name={kind} size={16} />
          </span>
          {plainLine(name)}
        </p>
        <PartList parts={parts} isLive={isLive} onAnswer={onAnswer} />
        {turn.status === "running" && <Activity isBroken={turn.isBroken === true} hasParts={parts.length > 0} />}
        {sources.length > 0 && <SourceList sources={sources} />}
        {failure !== undefined && (
          <p class="failure" role="alert">
            <Icon name="warning" size={18} />
            {failure.message}
          </p>
        )}
        {!isLive && <TurnFooter turn={turn} onRegenerate={regenerate && (() => regenerate(turn))} />}
      </div>
    </article>
  );
}

/** Shows that more comes, and says so when the connection is broken. */
function Activity({ isBroken, hasParts }: { isBroken: boolean; hasParts: boolean }) {
  if (isBroken) return <p class="activity">The connection broke. Trying again…</p>;
  return (
    <p class="activity" data-quiet={hasParts}>
      <span class="dots">
        <span />
        <span />
        <span />
      </span>
      <span class="unseen">The answer is on its way.</span>
    </p>
  );
}

function SourceList({ sources }: { sources: readonly Source[] }) {
  return (
    <ul class="sources" aria-label="Sources">
      {sources.map(({ id, url = "", title }) => {
        const link = readLink(url);
        const text = plainLine(title ?? (url || id));
        return <li key={id}>{link === undefined ? text : <ForeignLink link={link} text={text} />}</li>;
      })}
    </ul>
  );
}

const endings: Readonly<Partial<Record<TurnStatus, string>>> = {
  cancelled: "Stopped",
  interrupted: "Cut off",
};

function TurnFooter({ turn, onRegenerate }: { turn: Turn; onRegenerate: (() => void) | undefined }) {
  const { usage, firstTokenMs, durationMs, status, isUnstored, parts } = turn;
  const ending = endings[status];
  const facts = [
    ending,
    isUnstored === true ? "Not stored" : undefined,
    firstTokenMs === undefined ? undefined : `first token ${formatDuration(firstTokenMs)}`,
    durationMs === undefined ? undefined : `${formatDuration(durationMs)} in all`,
  ].filter((fact) => fact !== undefined);
  return (
    <footer class="turn-foot">
      <span class="actions">
        <CopyButton text={textOf(parts)} name="Copy answer" />
        {onRegenerate !== undefined && (
          <button type="button" class="quiet" onClick={onRegenerate} aria-label="Answer again" title="Answer again">
            <Icon name="refresh" size={16} />
          </button>
        )}
      </span>
      <span class="facts">
        {usage !== undefined && (
          <span title={`${formatCount(usage.promptTokens)} in, ${formatCount(usage.completionTokens)} out`}>
            {formatCount(usage.totalTokens)} tokens
          </span>
        )}
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
    </footer>
  );
}

/** Returns a sentence for screen readers when the last answer is complete, failed or waits: once, and not for each piece. */
export function useAnnouncement(turn: Turn | undefined): string {
  const [announced, setAnnounced] = useState("");
  const state = turn === undefined ? "" : `${turn.key} ${turn.status}`;
  const [before, setBefore] = useState(state);
  useEffect(() => {
    if (state === before) return;
    setBefore(state);
    // Turns that were read from the service are no news.
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
      return `${name} has a question: an answer of yours is needed.`;
    case "completed":
      return `${name} answered: ${textOf(parts).slice(0, 600)}`;
    default:
      return `The answer of ${name} ended early.`;
  }
}
