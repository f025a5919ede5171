import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionInfo, StoredTurn } from "@troupe-internal/client";
import { plainLine } from "../ui/unseen.ts";
import type { Services } from "../services.ts";
import { toJson, toMarkdown } from "../sessions/export-chat.ts";
import { moveFocus } from "../ui/focus.ts";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icon.tsx";
import { saveFile } from "../ui/save-file.ts";
import { useStore } from "../ui/store.ts";
import { strings } from "../strings/strings.ts";

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
  const title = plainLine(session.title ?? "").trim() || strings.common.untitled;
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
      {mode === "more" && <More {...{ title, session, services, act }} onMode={setMode} />}
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
    <div class="confirm" role="group" aria-label={strings.sessions.deleteAsk(title)}>
      <span>{strings.sessions.deleteThis}</span>
      <button type="button" class="danger" onClick={onRemove}>
        {strings.sessions.delete}
      </button>
      <button type="button" onClick={onKeep}>
        {strings.common.keep}
      </button>
    </div>
  );
}

type MoreProps = {
  title: string;
  session: SessionInfo;
  services: Services;
  act: (action: () => Promise<void>) => Promise<void>;
  onMode: (mode: Mode) => void;
};

/** Pins the chat, or saves it as a file. On touch screens it is also renamed and deleted here: their lines have no room. */
function More({ title, session, services, act, onMode }: MoreProps) {
  const { sessionId } = session;
  const isPinned = useStore(services.pins).pinned.some((each) => each.sessionId === sessionId);
  const save = (extension: string, write: (turns: readonly StoredTurn[]) => string) =>
    void act(async () => saveFile(title, extension, write(await services.api.turns(sessionId))));
  return (
    <div class="confirm" role="group" aria-label={strings.sessions.moreFor(title)}>
      <span class="file-name">{title}</span>
      <button type="button" onClick={() => void act(async () => await Promise.resolve(services.pins.toggle(session)))}>
        {isPinned ? strings.sessions.unpin : strings.sessions.pin}
      </button>
      {services.settings.shareMs !== undefined && (
        <button type="button" onClick={() => services.shares.open({ sessionId, title })}>
          {strings.shares.share}
        </button>
      )}
      <button type="button" onClick={() => save(".md", (turns) => toMarkdown(title, turns))}>
        {strings.sessions.saveMarkdown}
      </button>
      <button type="button" onClick={() => save(".json", (turns) => toJson(title, sessionId, turns))}>
        {strings.sessions.saveJson}
      </button>
      <button type="button" class="touch-alone" onClick={() => onMode("renamed")}>
        {strings.sessions.rename}
      </button>
      <button type="button" class="touch-alone" onClick={() => onMode("removed")}>
        {strings.sessions.delete}
      </button>
      <button type="button" onClick={() => onMode("shown")}>
        {strings.common.close}
      </button>
    </div>
  );
}

type ShownProps = Pick<ItemProps, "status" | "isCurrent" | "onLeave"> & {
  title: string;
  sessionId: string;
  onMode: (mode: Mode) => void;
};

/** The actions on a chat: the mode that each begins, its icon, and its name without and with the title of the chat. */
const actions: readonly (readonly [mode: Mode, icon: IconName, name: string, nameOf: (title: string) => string])[] = [
  ["more", "more", strings.sessions.more, strings.sessions.moreFor],
  ["renamed", "edit", strings.sessions.rename, strings.sessions.renameNamed],
  ["removed", "trash", strings.sessions.delete, strings.sessions.deleteNamed],
];

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
        <span
          class="badge"
          data-status={status}
          title={status === "waiting" ? strings.sessions.waits : strings.sessions.underWay}
        >
          <span class="unseen">
            {status === "waiting" ? strings.sessions.waitsUnseen : strings.sessions.underWayUnseen}
          </span>
        </span>
      )}
      <span class="actions">
        {actions.map(([mode, icon, name, nameOf]) => (
          <button
            key={mode}
            type="button"
            class="quiet"
            onClick={() => onMode(mode)}
            aria-label={nameOf(title)}
            title={name}
          >
            <Icon name={icon} size={16} />
          </button>
        ))}
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
        aria-label={strings.sessions.title}
        onInput={(event) => setChanged(event.currentTarget.value)}
      />
      <button type="submit" class="quiet" aria-label={strings.sessions.saveTitle} title={strings.sessions.save}>
        <Icon name="check" size={16} />
      </button>
    </form>
  );
}
