import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionInfo, StoredTurn } from "@troupe-internal/client";
import { plainLine } from "../ui/unseen.ts";
import type { Services } from "../services.ts";
import { toJson, toMarkdown } from "../sessions/export-chat.ts";
import { moveFocus } from "../ui/focus.ts";
import { Icon } from "../ui/icon.tsx";
import { saveFile } from "../ui/save-file.ts";
import { useStore } from "../ui/store.ts";

type Mode = "shown" | "renamed" | "removed" | "more";

type ItemProps = {
  session: SessionInfo;
  status: string | undefined;
  isCurrent: boolean;
  services: Services;
  onLeave: () => void;
};

/** A chat in the list, with its actions. */
export function SessionItem({ session, status, isCurrent, services, onLeave }: ItemProps) {
  const [mode, setMode] = useState<Mode>("shown");
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
    services.pins.forget(sessionId);
    moveFocus(item.current, beside);
    if (!isCurrent) return;
    services.conversation.clear();
    location.hash = "#/";
  };
  const rename = async (changed: string) => {
    await services.sessions.rename(sessionId, changed);
    services.pins.rename(sessionId, changed);
  };
  return (
    <li class="session" data-current={isCurrent} ref={item}>
      {mode === "shown" && <ShownItem {...{ title, sessionId, status, isCurrent, onLeave }} onMode={setMode} />}
      {mode === "renamed" && (
        <RenameForm
          title={title}
          onSave={(changed) => void act(async () => await rename(changed))}
          onLeave={() => setMode("shown")}
        />
      )}
      {mode === "more" && <More {...{ title, session, services, act }} onClose={() => setMode("shown")} />}
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

/** Returns the session next to a deleted session, or the control for a new session. */
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

type MoreProps = {
  title: string;
  session: SessionInfo;
  services: Services;
  act: (action: () => Promise<void>) => Promise<void>;
  onClose: () => void;
};

/** Pins the chat, or saves it as a file. */
function More({ title, session, services, act, onClose }: MoreProps) {
  const { sessionId } = session;
  const isPinned = useStore(services.pins).pinned.some((each) => each.sessionId === sessionId);
  const save = (extension: string, write: (turns: readonly StoredTurn[]) => string) =>
    void act(async () => saveFile(title, extension, write(await services.api.turns(sessionId))));
  return (
    <div class="confirm" role="group" aria-label={`More for ${title}`}>
      <span class="file-name">{title}</span>
      <button type="button" onClick={() => void act(async () => await Promise.resolve(services.pins.toggle(session)))}>
        {isPinned ? "Unpin" : "Pin"}
      </button>
      <button type="button" onClick={() => save(".md", (turns) => toMarkdown(title, turns))}>
        Save as Markdown
      </button>
      <button type="button" onClick={() => save(".json", (turns) => toJson(title, sessionId, turns))}>
        Save as JSON
      </button>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  );
}

type ShownProps = Pick<ItemProps, "status" | "isCurrent" | "onLeave"> & {
  title: string;
  sessionId: string;
  onMode: (mode: Mode) => void;
};

function ShownItem({ title, sessionId, status, isCurrent, onLeave, onMode }: ShownProps) {
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
        <button
          type="button"
          class="quiet"
          onClick={() => onMode("more")}
          aria-label={`More for ${title}`}
          title="More"
        >
          <Icon name="more" size={16} />
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => onMode("renamed")}
          aria-label={`Rename ${title}`}
          title="Rename"
        >
          <Icon name="edit" size={16} />
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => onMode("removed")}
          aria-label={`Delete ${title}`}
          title="Delete"
        >
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
