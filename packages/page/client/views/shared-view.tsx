import { useEffect, useState } from "preact/hooks";
import type { StoredTurn } from "@troupe-internal/client";
import type { SharedChat, SharedTurn } from "../../src/shares/shared-chat.ts";
import { ChartStyleContext } from "../charts/chart-artifact.tsx";
import { fromStoredTurn } from "../chat/stored-turn.ts";
import type { AnswerPart, Turn } from "../chat/turn.ts";
import { TurnView } from "../chat/turn-view.tsx";
import type { TurnActions } from "../chat/turn-view.tsx";
import type { Settings } from "../settings.ts";
import { strings } from "../strings/strings.ts";
import { formatDay } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { plainLine } from "../ui/unseen.ts";
import { Logo } from "./bar.tsx";
import { readSharedChat } from "../shares/shares.ts";

type Read = (settings: Pick<Settings, "base">, after: number) => Promise<SharedChat>;

/** A shared chat: its turns, without anything to ask, change or answer. */
export function SharedView({ settings, read = readSharedChat }: { settings: Settings; read?: Read }) {
  const { chat, turns, failure, isLoading, loadMore } = useSharedChat(settings, read);
  const title = plainLine(chat?.title ?? "").trim() || strings.shares.sharedChat;
  useEffect(() => {
    document.title = `${title} · ${settings.title}`;
  }, [title]);
  return (
    <div class="app">
      <Brand settings={settings} />
      <main class="chat">
        <div class="scroll" tabIndex={-1}>
          <header class="shared-head">
            <h1>{title}</h1>
            {chat !== undefined && (
              <p class="muted">
                {strings.shares.readOnly(formatDay(chat.createdAt))} {strings.shares.ends(formatDay(chat.expiresAt))}
              </p>
            )}
          </header>
          {failure !== undefined && (
            <p class="failure" role="alert">
              <Icon name="warning" size={18} />
              {failure}
            </p>
          )}
          <div class="turns" aria-label={strings.conversation.label} role="log" aria-busy={isLoading}>
            <ChartStyleContext.Provider value={settings.chartStyle}>
              {turns.map((turn, at) => (
                <TurnView
                  key={turn.key}
                  turn={turn}
                  actions={noActions}
                  mayRegenerate={false}
                  isLast={at === turns.length - 1}
                />
              ))}
            </ChartStyleContext.Provider>
            {isLoading && <p class="activity">{strings.common.loading}</p>}
            {loadMore !== undefined && (
              <button type="button" class="earlier" onClick={loadMore}>
                {strings.shares.more}
              </button>
            )}
          </div>
        </div>
      </main>
    </div>
  );
}

function Brand({ settings: { logo, title } }: { settings: Settings }) {
  return (
    <header class="bar">
      <span class="brand">
        <Logo logo={logo} />
        <span class="brand-name">{title}</span>
      </span>
    </header>
  );
}

/** A shared chat has nothing to answer and nothing to ask again. */
const noActions: TurnActions = { regenerate: () => {}, answer: async () => await Promise.resolve() };

/** Reads the shared chat page by page: the first page at once, and others when they are asked for. */
function useSharedChat(settings: Settings, read: Read) {
  const [chat, setChat] = useState<SharedChat>();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [isLoading, setLoading] = useState(true);
  const [failure, setFailure] = useState<string>();
  const load = async (after: number): Promise<void> => {
    setLoading(true);
    try {
      const page = await read(settings, after);
      setChat(page);
      setTurns((earlier) => [...earlier, ...page.turns.map((turn) => toTurn(turn, page.hasTools))]);
    } catch (error) {
      const isGone = (error as { status?: unknown }).status === 404;
      setFailure(isGone ? strings.shares.gone : (error as Error).message);
    }
    setLoading(false);
  };
  useEffect(() => void load(0), []);
  const next = chat?.next;
  const loadMore = next === undefined || isLoading ? undefined : () => void load(next);
  return { chat, turns, failure, isLoading, loadMore };
}

const noUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** Converts a shared turn to the form that the page shows. Tools whose arguments are not shared are marked. */
function toTurn(shared: SharedTurn, hasTools: boolean): Turn {
  const stored = { ...shared, runId: String(shared.seq), usage: noUsage } as unknown as StoredTurn;
  const shown = fromStoredTurn(stored, { kindOf: () => shared.kind, urlOf: () => "" });
  const { key, kind, name, question, status, parts, sources } = shown;
  const hide = (part: AnswerPart): AnswerPart => (part.type === "tool" ? { ...part, isPrivate: true } : part);
  return { key, kind, name, question, status, parts: hasTools ? parts : parts.map(hide), sources };
}
