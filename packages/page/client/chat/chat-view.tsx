import { useEffect, useState } from "preact/hooks";
import type { RunnableInfo, SessionInfo } from "../api/wire.ts";
import type { Services } from "../services.ts";
import { plainLine } from "../markdown/link.ts";
import { Icon } from "../ui/icon.tsx";
import { useStore } from "../ui/store.ts";
import { Composer } from "./composer.tsx";
import { isOpen } from "./turn.ts";
import type { Turn } from "./turn.ts";
import { TurnView, useAnnouncement } from "./turn-view.tsx";
import { useFollow } from "./use-follow.ts";
import { Welcome } from "./welcome.tsx";

type ChatProps = { readonly services: Services; readonly runnables: readonly RunnableInfo[] | undefined };

/** The chat: the turns of a session, and the place where the next question is written. */
export function ChatView({ services, runnables }: ChatProps) {
  const { conversation, settings } = services;
  const { turns, isLoading, failure } = useStore(conversation);
  const { chosen, choose } = useChosen(turns, runnables, useStore(conversation).sessionId === undefined);
  const title = useTitle(services);
  const announcement = useAnnouncement(turns.at(-1));
  const { element, isAtEnd, onScroll, toEnd } = useFollow(turns);
  const isBusy = turns.some(isOpen);
  const send = (text: string, files: File[] = []) => {
    if (chosen === undefined || isBusy) return;
    toEnd();
    const question = { text, files: files.map((file) => ({ name: file.name, type: file.type, file })) };
    void conversation.send(chosen, question);
  };
  const isNew = turns.length === 0 && !isLoading;
  const suggestions = settings.suggestions[chosen?.name ?? ""] ?? [];
  return (
    <main class="chat">
      {!isNew && <h1 class="unseen">{title}</h1>}
      <div class="scroll" ref={element} onScroll={onScroll} tabIndex={-1}>
        {isNew ? (
          <Welcome
            {...{ runnables, chosen, suggestions }}
            title={settings.title}
            onChoose={choose}
            onSuggestion={send}
          />
        ) : (
          <TurnList turns={turns} services={services} isBusy={isBusy} />
        )}
        {isLoading && <p class="activity">Loading…</p>}
      </div>
      <div class="dock">
        {!isAtEnd && <ToEnd onClick={toEnd} />}
        <Notice text={failure} onClose={() => conversation.dismiss()} />
        <Composer
          {...{ chosen, isBusy }}
          runnables={runnables ?? []}
          onChoose={choose}
          onSend={send}
          onStop={() => void conversation.stop()}
        />
      </div>
      <p role="status" class="unseen">
        {announcement}
      </p>
    </main>
  );
}

/** Whom the next question is for: who was picked, else who answered last in the session, else the first. */
function useChosen(turns: readonly Turn[], runnables: ChatProps["runnables"], isUnbegun: boolean) {
  const [picked, choose] = useState<RunnableInfo>();
  useEffect(() => choose(undefined), [isUnbegun]);
  return { chosen: picked ?? lastOf(turns, runnables) ?? runnables?.[0], choose };
}

/** Returns the title of the session, which the tab of the browser has too. */
function useTitle({ conversation, sessions, settings }: Services): string {
  const { sessionId } = useStore(conversation);
  const title = titleOf(useStore(sessions).sessions, sessionId);
  useEffect(() => {
    document.title = title === undefined ? settings.title : `${title} · ${settings.title}`;
  }, [title]);
  return title ?? "Chat";
}

function ToEnd({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" class="to-end" onClick={onClick} aria-label="To the newest" title="To the newest">
      <Icon name="down" size={18} />
    </button>
  );
}

function TurnList({
  turns,
  services: { conversation },
  isBusy,
}: {
  turns: readonly Turn[];
  services: Services;
  isBusy: boolean;
}) {
  const regenerate = (turn: Turn, text?: string) => void conversation.regenerate(turn.key, text);
  const actions = {
    answer: async (turn: Turn, waitId: string, answer: object) => await conversation.answer(turn, waitId, answer),
    regenerate: isBusy ? undefined : regenerate,
  };
  return (
    <div class="turns" role="log" aria-label="Conversation" aria-busy={isBusy}>
      {turns.map((turn) => (
        <TurnView key={turn.key} turn={turn} actions={actions} />
      ))}
    </div>
  );
}

function Notice({ text, onClose }: { text: string | undefined; onClose: () => void }) {
  if (text === undefined) return null;
  return (
    <p class="failure notice" role="alert">
      <Icon name="warning" size={18} />
      {text}
      <button type="button" class="quiet" onClick={onClose} aria-label="Close">
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
