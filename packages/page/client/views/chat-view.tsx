import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RunnableInfo, SessionInfo } from "@troupe-internal/client";
import type { Services } from "../services.ts";
import { exampleOf } from "../api/workflow-input.ts";
import type { WorkflowFields } from "../api/workflow-input.ts";
import { plainLine } from "../ui/unseen.ts";
import { moveFocus } from "../ui/focus.ts";
import { formatCount } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { useStore } from "../ui/store.ts";
import { Composer } from "../chat/composer.tsx";
import type { Conversation } from "../chat/conversation.ts";
import { isUnderWay } from "../chat/turn.ts";
import type { Turn } from "../chat/turn.ts";
import { TurnView, useAnnouncement } from "../chat/turn-view.tsx";
import type { TurnActions } from "../chat/turn-view.tsx";
import { ChartStyleContext } from "../charts/chart-artifact.tsx";
import { StepGraphsContext } from "../chat/use-step-graph.ts";
import { useTurnWindow } from "../chat/use-turn-window.ts";
import { useFollow } from "../chat/use-follow.ts";
import { suggestionsFor } from "../chat/find-runnables.ts";
import { Suggestions, Welcome } from "../chat/welcome.tsx";
import { strings } from "../strings/strings.ts";

type ChatProps = {
  readonly services: Services;
  readonly runnables: readonly RunnableInfo[] | undefined;
  /** The runnable that a command asks next. It is another object for each command. */
  readonly wanted?: { readonly runnable: RunnableInfo } | undefined;
  /** False while the inspector is shown instead of the chat. */
  readonly isShown: boolean;
};

/** The files of a question, or the fields of a workflow's form. */
type Attached = { readonly files?: readonly File[]; readonly fields?: WorkflowFields | undefined };

/** The chat: the turns of a session, and the input for the next question. */
export function ChatView({ services, runnables, isShown, wanted }: ChatProps) {
  const { conversation, settings } = services;
  const { turns, isReplacing, isLoading, number, failure } = useStore(conversation);
  const { chosen, choose } = useChosen({ turns, runnables, number, wanted });
  const title = useTitle(services);
  const announcement = useAnnouncement(turns.at(-1));
  const { element, isAtEnd, onScroll, toEnd } = useFollow(turns, isShown);
  const isAnswering = turns.some(isUnderWay);
  const isEmpty = turns.length === 0 && !isLoading && !isReplacing;
  const send = (runnable: RunnableInfo | undefined, text: string, { files = [], fields }: Attached = {}) => {
    if (runnable === undefined || isAnswering || isReplacing) return;
    toEnd();
    const attached = files.map((file) => ({ name: file.name, type: file.type, file }));
    void conversation.send(runnable, { text, files: attached, ...(fields !== undefined && { fields }) });
  };
  return (
    <main class="chat" data-empty={isEmpty}>
      <div class="scroll" ref={element} onScroll={onScroll} tabIndex={-1}>
        {isEmpty ? (
          <Welcome heading={settings.welcome} {...{ runnables, chosen }} />
        ) : (
          <Turns services={services} title={title} />
        )}
      </div>
      <div class="dock">
        {!isAtEnd && <ToEnd onClick={toEnd} />}
        <Notice text={failure} onClose={() => conversation.dismiss()} />
        <Composer
          {...{ chosen, isAnswering, isReplacing }}
          runnables={runnables ?? []}
          example={exampleOf(chosen, settings.suggestions)}
          onChoose={choose}
          onSend={(text, files, fields) => send(chosen, text, { files, fields })}
          onStop={() => void conversation.stop()}
        />
      </div>
      {isEmpty && (
        <Suggestions
          suggestions={suggestionsFor(chosen, runnables ?? [], settings.suggestions)}
          onSuggestion={({ runnable, text, fields }) => send(runnable, text, { fields })}
        />
      )}
      <p role="status" class="unseen">
        {announcement}
      </p>
    </main>
  );
}

type Choosing = Pick<ChatProps, "runnables" | "wanted"> & { readonly turns: readonly Turn[]; readonly number: number };

/**
 * Returns the runnable for the next question: the chosen runnable, else the runnable that answered last in the
 * conversation, else the first runnable.
 */
function useChosen({ turns, runnables, number, wanted }: Choosing) {
  const [picked, choose] = useState<RunnableInfo>();
  useEffect(() => choose(undefined), [number]);
  // After the effect above, because a command also begins a conversation.
  useEffect(() => {
    if (wanted !== undefined) choose(wanted.runnable);
  }, [wanted]);
  return { chosen: picked ?? lastOf(turns, runnables) ?? runnables?.[0], choose };
}

/** Returns the title of the session, and sets it as the title of the browser tab. */
function useTitle({ conversation, sessions, settings }: Services): string {
  const sessionId = useStore(conversation, (state) => state.sessionId);
  const title = titleOf(useStore(sessions).sessions, sessionId);
  useEffect(() => {
    document.title = title === undefined ? settings.title : `${title} · ${settings.title}`;
  }, [title]);
  return title ?? strings.common.chat;
}

function ToEnd({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      class="to-end"
      onClick={onClick}
      aria-label={strings.conversation.toEnd}
      title={strings.conversation.toEnd}
    >
      <Icon name="down" size={18} />
    </button>
  );
}

/** The turns of the conversation. */
function Turns({ services: { conversation, stepGraphs, settings }, title }: { services: Services; title: string }) {
  const { turns, isLoading, isReplacing, number } = useStore(conversation);
  const mayRegenerate = !isReplacing && !turns.some(isUnderWay);
  return (
    <StepGraphsContext.Provider value={stepGraphs}>
      <h1 class="unseen">{title}</h1>
      <ChartStyleContext.Provider value={settings.chartStyle}>
        <TurnList
          key={`${number} ${isLoading}`}
          {...{ turns, conversation, mayRegenerate }}
          hasSteps={settings.inspectorStyle !== undefined}
        />
      </ChartStyleContext.Provider>
      {isLoading && <p class="activity">{strings.common.loading}</p>}
    </StepGraphsContext.Provider>
  );
}

type TurnListProps = {
  turns: readonly Turn[];
  conversation: Conversation;
  mayRegenerate: boolean;
  hasSteps: boolean;
};

/** The last turns of a chat. Others are drawn when they are asked for, so that a long chat opens at once. */
function TurnList({ turns, conversation, mayRegenerate, hasSteps }: TurnListProps) {
  const list = useRef<HTMLDivElement>(null);
  const { from, to, showEarlier, showLater } = useTurnWindow(turns);
  const show = (more: () => void) => () => {
    moveFocus(list.current, list.current);
    more();
  };
  const actions = useMemo<TurnActions>(
    () => ({
      answer: async (key, waitId, answer) => await conversation.answer(key, waitId, answer),
      regenerate: (key, text) => {
        moveFocus(list.current, list.current);
        void conversation.regenerate(key, text);
      },
      hasSteps,
    }),
    [conversation, hasSteps],
  );
  return (
    <div
      class="turns"
      role="log"
      aria-label={strings.conversation.label}
      aria-busy={turns.some(({ status }) => status === "running")}
      ref={list}
      tabIndex={-1}
    >
      {from > 0 && (
        <button type="button" class="earlier" onClick={show(showEarlier)}>
          {strings.conversation.earlier(formatCount(from))}
        </button>
      )}
      {turns.slice(from, to).map((turn, index) => (
        <TurnView
          key={turn.key}
          turn={turn}
          actions={actions}
          mayRegenerate={mayRegenerate}
          isLast={from + index === turns.length - 1}
        />
      ))}
      {to < turns.length && (
        <button type="button" class="earlier" onClick={show(showLater)}>
          {strings.conversation.later(formatCount(turns.length - to))}
        </button>
      )}
    </div>
  );
}

function Notice({ text, onClose }: { text: string | undefined; onClose: () => void }) {
  if (text === undefined) return null;
  return (
    <p class="failure notice" role="alert">
      <Icon name="warning" size={18} />
      {text}
      <button type="button" class="quiet" onClick={onClose} aria-label={strings.common.close}>
        <Icon name="cross" size={16} />
      </button>
    </p>
  );
}

function titleOf(sessions: readonly SessionInfo[], sessionId: string | undefined): string | undefined {
  const title = sessions.find((session) => session.sessionId === sessionId)?.title;
  return title === undefined ? undefined : plainLine(title);
}

function lastOf(turns: readonly Turn[], runnables: readonly RunnableInfo[] = []): RunnableInfo | undefined {
  const last = turns.at(-1);
  return runnables.find(({ kind, name }) => kind === last?.kind && name === last.name);
}
