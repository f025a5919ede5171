import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "@troupe-internal/client";
import { WaitForm } from "../chat/wait-form.tsx";
import { locale, strings } from "../strings/strings.ts";
import { moveFocus } from "../ui/focus.ts";
import { formatAgo } from "../ui/format.ts";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { useStore } from "../ui/store.ts";
import { toVisible } from "../ui/unseen.ts";
import { isAnswerable } from "./inbox.ts";
import type { Inbox, InboxRun } from "./inbox.ts";

/** Milliseconds between two looks for waiting runs while the inbox is shown. */
const lookMs = 4000;

/** The properties of the view. */
export type InboxProps = { readonly inbox: Inbox; readonly hasInspector: boolean };

/** The view of all runs that wait: each with its questions, which are answered here. It updates itself. */
export function InboxView({ inbox, hasInspector }: InboxProps) {
  const { runs, hasMore, isLoaded, failure } = useStore(inbox);
  const [announced, setAnnounced] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  useLook(inbox);
  const answer = async (runId: string, waitId: string, given: object): Promise<void> => {
    try {
      await inbox.answer(runId, waitId, given);
    } catch (error) {
      throw isGone(error) ? new Error(strings.inbox.refused) : error;
    }
    setAnnounced(strings.inbox.answered);
    // The form with the focus is gone.
    moveFocus(heading.current, heading.current);
  };
  const asked = runs.filter(({ waits }) => waits.some(isAnswerable));
  const others = runs.filter(({ waits }) => !waits.some(isAnswerable));
  const draw = (run: InboxRun) => <Waiting key={run.runId} {...{ run, hasInspector }} onAnswer={answer} />;
  return (
    <main class="inbox">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {strings.inbox.title}
        </h1>
        <p class="muted">{strings.inbox.lead}</p>
      </header>
      <p class="unseen" role="status">
        {announced}
      </p>
      {failure !== undefined && (
        <p class="failure" role="alert">
          <Icon name="warning" size={18} />
          {failure}
        </p>
      )}
      {!isLoaded && <p class="muted">{strings.common.loading}</p>}
      {isLoaded && asked.length === 0 && failure === undefined && <None />}
      <ul>{asked.map(draw)}</ul>
      {hasMore && <p class="muted">{strings.inbox.more}</p>}
      {others.length > 0 && (
        <section aria-label={strings.inbox.elsewhere}>
          <h2>{strings.inbox.elsewhere}</h2>
          <ul>{others.map(draw)}</ul>
        </section>
      )}
    </main>
  );
}

/** Looks for waiting runs at once and from time to time, unless the tab is hidden. */
function useLook(inbox: Inbox): void {
  useEffect(() => {
    void inbox.load();
    const timer = setInterval(() => {
      if (!document.hidden) void inbox.load();
    }, lookMs);
    return () => clearInterval(timer);
  }, [inbox]);
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409);
}

function None() {
  return (
    <div class="none">
      <Icon name="check" size={28} />
      <p>{strings.inbox.none}</p>
      <p class="muted">{strings.inbox.noneHint}</p>
    </div>
  );
}

type WaitingProps = {
  readonly run: InboxRun;
  readonly hasInspector: boolean;
  readonly onAnswer: (runId: string, waitId: string, answer: object) => Promise<void>;
};

/** A waiting run with its questions. */
function Waiting({ run, hasInspector, onAnswer }: WaitingProps) {
  const { runId, kind, name, question, createdAt, waits } = run;
  return (
    <li aria-label={toVisible(name)}>
      <header>
        <Face kind={kind} name={name} size="large" />
        <div class="inbox-what">
          <strong>
            <bdi>{toVisible(name)}</bdi>
          </strong>
          {createdAt !== undefined && (
            <time
              class="muted"
              dateTime={new Date(createdAt).toISOString()}
              title={new Date(createdAt).toLocaleString(locale)}
            >
              {formatAgo(createdAt, Date.now())}
            </time>
          )}
          {question !== undefined && (
            <p dir="auto" title={toVisible(question)}>
              {toVisible(question)}
            </p>
          )}
        </div>
        <Links run={run} hasInspector={hasInspector} />
      </header>
      {waits.map((wait) => (
        <WaitForm
          key={wait.waitId}
          wait={wait}
          onAnswer={async (waitId, answer) => await onAnswer(runId, waitId, answer)}
        />
      ))}
    </li>
  );
}

/** The ways from a run to its chat and to its steps. */
function Links({ run: { runId, sessionId, isOwn }, hasInspector }: Pick<WaitingProps, "run" | "hasInspector">) {
  return (
    <p class="inbox-links">
      {isOwn === true && <a href={`#/s/${encodeURIComponent(sessionId)}`}>{strings.inbox.openChat}</a>}
      {isOwn === false && <span class="muted">{strings.inbox.ofOther}</span>}
      {hasInspector && <a href={`#/inspector/${encodeURIComponent(runId)}`}>{strings.inbox.showSteps}</a>}
    </p>
  );
}
