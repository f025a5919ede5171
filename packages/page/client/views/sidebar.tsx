import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionInfo } from "@troupe-internal/client";
import { plainLine } from "../ui/unseen.ts";
import type { Services } from "../services.ts";
import { moveFocus } from "../ui/focus.ts";
import { dayOf } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { useStore } from "../ui/store.ts";

/** Below this width, the sessions are in a drawer. */
const narrow = matchMedia("(max-width: 52rem)");

/** The sessions beside the chat. On a narrow screen they are in a drawer, which is opened from the bar. */
export function Sidebar({ services, isOpen, onClose }: { services: Services; isOpen: boolean; onClose: () => void }) {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const follow = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", follow);
    return () => narrow.removeEventListener("change", follow);
  }, []);
  // A layout effect, so that the next key goes to the dialog.
  useLayoutEffect(() => {
    if (isOpen && isNarrow) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen, isNarrow]);
  if (!isNarrow) {
    return (
      <aside class="sidebar" aria-label="Chats">
        <SessionNav services={services} onLeave={() => {}} />
      </aside>
    );
  }
  return (
    <dialog
      ref={dialog}
      class="sidebar"
      aria-label="Chats"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <button type="button" class="quiet close" onClick={onClose} aria-label="Close" title="Close">
        <Icon name="cross" />
      </button>
      <SessionNav services={services} onLeave={onClose} />
    </dialog>
  );
}

function SessionNav({ services, onLeave }: { services: Services; onLeave: () => void }) {
  const { sessions, next, open, isLoaded, failure } = useStore(services.sessions);
  const current = useStore(services.conversation, (state) => state.sessionId);
  const begin = () => {
    services.conversation.clear();
    onLeave();
    if (location.hash === "#/" || location.hash === "") return;
    location.hash = "#/";
  };
  return (
    <nav class="sessions" aria-label="Chats">
      <button type="button" class="new" onClick={begin}>
        <Icon name="plus" size={18} />
        New chat
      </button>
      {groupByDay(sessions).map(([day, group]) => (
        <section key={day} aria-label={day}>
          <h2>{day}</h2>
          <ul>
            {group.map((session) => (
              <SessionItem
                key={session.sessionId}
                session={session}
                status={open.get(session.sessionId)}
                isCurrent={session.sessionId === current}
                services={services}
                onLeave={onLeave}
              />
            ))}
          </ul>
        </section>
      ))}
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {isLoaded && sessions.length === 0 && failure === undefined && (
        <p class="muted">Chats that you begin are listed here.</p>
      )}
      {next !== undefined && (
        <button type="button" class="more" onClick={() => void services.sessions.loadMore()}>
          Older chats
        </button>
      )}
    </nav>
  );
}

function groupByDay(sessions: readonly SessionInfo[]): [string, SessionInfo[]][] {
  const now = Date.now();
  return [...Map.groupBy(sessions, ({ updatedAt }) => dayOf(updatedAt, now))];
}

type ItemProps = {
  session: SessionInfo;
  status: string | undefined;
  isCurrent: boolean;
  services: Services;
  onLeave: () => void;
};

function SessionItem({ session, status, isCurrent, services, onLeave }: ItemProps) {
  const [mode, setMode] = useState<"shown" | "renamed" | "removed">("shown");
  const [failure, setFailure] = useState<string>();
  const item = useFocusIn(mode);
  const title = plainLine(session.title ?? "").trim() || "Untitled";
  const { sessionId } = session;
  const act = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
      setMode("shown");
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  const remove = async () => {
    const beside = besideOf(item.current);
    await services.sessions.remove(sessionId);
    moveFocus(item.current, beside);
    if (!isCurrent) return;
    services.conversation.clear();
    location.hash = "#/";
  };
  return (
    <li class="session" data-current={isCurrent} ref={item}>
      {mode === "shown" && (
        <ShownItem
          {...{ title, sessionId, status, isCurrent, onLeave }}
          onRename={() => setMode("renamed")}
          onRemove={() => setMode("removed")}
        />
      )}
      {mode === "renamed" && (
        <RenameForm
          title={title}
          onSave={(changed) => void act(async () => await services.sessions.rename(sessionId, changed))}
          onLeave={() => setMode("shown")}
        />
      )}
      {mode === "removed" && (
        <Confirmation title={title} onRemove={() => void act(remove)} onKeep={() => setMode("shown")} />
      )}
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
    </li>
  );
}

/**
 * Returns the React ref for a list item whose controls depend on its mode. After a change of mode, its first control
 * gets the focus.
 */
function useFocusIn(mode: string): RefObject<HTMLLIElement | null> {
  const item = useRef<HTMLLIElement>(null);
  const [shown, setShown] = useState(mode);
  useLayoutEffect(() => {
    if (mode === shown) return;
    setShown(mode);
    moveFocus(item.current, item.current?.querySelector<HTMLElement>("input, .confirm button:last-of-type, a") ?? null);
  }, [mode]);
  return item;
}

/** Returns the session next to a deleted one, or the control for a new session. */
function besideOf(item: HTMLElement | null): HTMLElement | null {
  const beside = item?.nextElementSibling ?? item?.previousElementSibling;
  return beside?.querySelector("a") ?? item?.closest("nav")?.querySelector("button") ?? null;
}

function Confirmation({ title, onRemove, onKeep }: { title: string; onRemove: () => void; onKeep: () => void }) {
  return (
    <div class="confirm" role="group" aria-label={`Delete ${title}?`}>
      <span>Delete this chat?</span>
      <button type="button" class="danger" onClick={onRemove}>
        Delete
      </button>
      <button type="button" onClick={onKeep}>
        Keep
      </button>
    </div>
  );
}

type ShownProps = Pick<ItemProps, "status" | "isCurrent" | "onLeave"> & {
  title: string;
  sessionId: string;
  onRename: () => void;
  onRemove: () => void;
};

function ShownItem({ title, sessionId, status, isCurrent, onLeave, onRename, onRemove }: ShownProps) {
  return (
    <>
      <a
        href={`#/s/${encodeURIComponent(sessionId)}`}
        aria-current={isCurrent ? "page" : undefined}
        onClick={onLeave}
        title={title}
      >
        {title}
      </a>
      {status !== undefined && (
        <span class="badge" data-status={status} title={status === "waiting" ? "Waits for an answer" : "Under way"}>
          <span class="unseen">{status === "waiting" ? "waits for an answer" : "under way"}</span>
        </span>
      )}
      <span class="actions">
        <button type="button" class="quiet" onClick={onRename} aria-label={`Rename ${title}`} title="Rename">
          <Icon name="edit" size={16} />
        </button>
        <button type="button" class="quiet" onClick={onRemove} aria-label={`Delete ${title}`} title="Delete">
          <Icon name="trash" size={16} />
        </button>
      </span>
    </>
  );
}

function RenameForm({
  title,
  onSave,
  onLeave,
}: {
  title: string;
  onSave: (title: string) => void;
  onLeave: () => void;
}) {
  const [changed, setChanged] = useState(title);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.select(), []);
  return (
    <form
      class="rename"
      onSubmit={(event) => {
        event.preventDefault();
        if (changed.trim() !== "") onSave(changed.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onLeave();
      }}
    >
      <input
        ref={field}
        value={changed}
        maxLength={200}
        aria-label="Title"
        onInput={(event) => setChanged(event.currentTarget.value)}
      />
      <button type="submit" class="quiet" aria-label="Save title" title="Save">
        <Icon name="check" size={16} />
      </button>
    </form>
  );
}
