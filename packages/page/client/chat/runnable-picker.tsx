import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RunnableInfo } from "@troupe-internal/client";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { plainLine } from "../ui/unseen.ts";
import { findRunnables } from "./find-runnables.ts";
import type { RunnableGroup } from "./find-runnables.ts";

type Picking = {
  readonly runnables: readonly RunnableInfo[];
  readonly chosen: RunnableInfo | undefined;
  readonly onChoose: (runnable: RunnableInfo) => void;
};

/** A button with the runnable to ask, which opens a list to search in. With a single runnable there is no list. */
export function RunnablePicker({ runnables, chosen, onChoose }: Picking) {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect, because an effect that waits for a frame would let the next key still go to the button.
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (chosen === undefined || runnables.length < 2) return null;
  // The dialog is closed before its field is removed, so that the browser returns the focus to the button.
  const close = (): void => {
    dialog.current?.close();
    setOpen(false);
  };
  const choose = (runnable: RunnableInfo): void => {
    close();
    onChoose(runnable);
  };
  return (
    <div class="picker">
      <button
        type="button"
        class="quiet"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title="Choose whom to ask"
        onClick={() => setOpen(true)}
      >
        <Face kind={chosen.kind} name={chosen.name} />
        <span class="unseen">Choose whom to ask: </span>
        <span class="picker-name">{plainLine(chosen.name)}</span>
        <Icon name="chevron" size={14} />
      </button>
      <dialog
        ref={dialog}
        class="picker-sheet"
        aria-label="Choose whom to ask"
        onClose={() => setOpen(false)}
        onClick={(event) => {
          if (event.target === dialog.current) close();
        }}
      >
        {isOpen && <Choices runnables={runnables} chosen={chosen} onChoose={choose} />}
      </dialog>
    </div>
  );
}

/** The list of runnables, with a search field that keeps the focus: the arrow keys move the active choice. */
function Choices({ runnables, chosen, onChoose }: Picking) {
  const [query, setQuery] = useState("");
  const [moved, setMoved] = useState<RunnableInfo | undefined>(chosen);
  const list = useRef<HTMLDivElement>(null);
  const groups = findRunnables(runnables, query);
  const shown = groups.flatMap(({ members }) => members);
  const active = moved !== undefined && shown.includes(moved) ? moved : shown[0];
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (active === undefined || event.isComposing) return;
    if (by === undefined) onChoose(active);
    else setMoved(shown[(shown.indexOf(active) + by + shown.length) % shown.length]);
  };
  return (
    <>
      <input
        type="search"
        role="combobox"
        aria-label="Search"
        aria-expanded={shown.length > 0}
        aria-controls="runnables"
        aria-activedescendant={active && idOf(active, runnables)}
        list={undefined}
        placeholder="Search"
        autocomplete="off"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {shown.length === 0 ? (
        <p class="muted">Nothing has this name or description.</p>
      ) : (
        <div id="runnables" class="choices" role="listbox" aria-label="Agents, teams and workflows" ref={list}>
          {groups.map((group) => (
            <Group key={group.heading} {...{ group, runnables, active, chosen, onChoose }} />
          ))}
        </div>
      )}
    </>
  );
}

type GroupProps = Picking & { readonly group: RunnableGroup; readonly active: RunnableInfo | undefined };

function Group({ group: { heading, members }, runnables, active, chosen, onChoose }: GroupProps) {
  return (
    <div role="group" aria-label={heading}>
      <p class="label" aria-hidden="true">
        {heading}
      </p>
      {members.map((each) => (
        <div
          key={idOf(each, runnables)}
          id={idOf(each, runnables)}
          class="choice"
          role="option"
          aria-selected={each === active}
          onClick={() => onChoose(each)}
        >
          <Face kind={each.kind} name={each.name} size="large" />
          <span class="choice-text">
            <span class="choice-name">{plainLine(each.name)}</span>
            {each.description !== undefined && <span class="muted">{plainLine(each.description)}</span>}
          </span>
          {each === chosen && <Icon name="check" size={16} />}
        </div>
      ))}
    </div>
  );
}

/** Returns the id of a runnable's element. The name is not enough: it may have spaces, and a team may share it. */
function idOf(runnable: RunnableInfo, runnables: readonly RunnableInfo[]): string {
  return `runnable-${runnables.indexOf(runnable)}`;
}
