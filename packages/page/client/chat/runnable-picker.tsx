import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RunnableInfo } from "@troupe-internal/client";
import { ChoiceList } from "../ui/choice-list.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { plainLine } from "../ui/unseen.ts";
import { findRunnables } from "./find-runnables.ts";
import { strings } from "../strings/strings.ts";

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
        title={strings.picker.choose}
        onClick={() => setOpen(true)}
      >
        <Face kind={chosen.kind} name={chosen.name} />
        <span class="unseen">{strings.picker.chooseNext}</span>
        <span class="picker-name">{plainLine(chosen.name)}</span>
        <Icon name="chevron" size={14} />
      </button>
      <dialog
        ref={dialog}
        class="picker-sheet"
        aria-label={strings.picker.choose}
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

/** The list of runnables, with a search field. */
function Choices({ runnables, chosen, onChoose }: Picking) {
  return (
    <ChoiceList
      id="runnables"
      texts={{ search: strings.common.search, list: strings.common.runnables, none: strings.picker.none }}
      find={(query) => findRunnables(runnables, query)}
      idOf={(each) => idOf(each, runnables)}
      initial={chosen}
      draw={(each) => (
        <>
          <RunnableLine runnable={each} />
          {each === chosen && <Icon name="check" size={16} />}
        </>
      )}
      onChoose={onChoose}
    />
  );
}

/** The picture, the name and the description of a runnable. */
export function RunnableLine({ runnable: { kind, name, description } }: { runnable: RunnableInfo }) {
  return (
    <>
      <Face kind={kind} name={name} size="large" />
      <span class="choice-text">
        <span class="choice-name">{plainLine(name)}</span>
        {description !== undefined && <span class="muted">{plainLine(description)}</span>}
      </span>
    </>
  );
}

/** Returns the id of a runnable's element. The name is not enough: it may have spaces, and a team may share it. */
function idOf(runnable: RunnableInfo, runnables: readonly RunnableInfo[]): string {
  return `runnable-${runnables.indexOf(runnable)}`;
}
