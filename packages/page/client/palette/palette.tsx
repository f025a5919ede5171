import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RunnableInfo } from "@troupe-internal/client";
import { RunnableLine } from "../chat/runnable-picker.tsx";
import type { Services } from "../services.ts";
import { strings } from "../strings/strings.ts";
import { ChoiceList } from "../ui/choice-list.tsx";
import { Icon } from "../ui/icon.tsx";
import { commandsOf, findCommands } from "./commands.ts";
import type { Command, CommandActs } from "./commands.ts";

/** The properties of the palette. It exists while it is open. */
export type PaletteProps = {
  readonly services: Services;
  readonly runnables: readonly RunnableInfo[];
  readonly acts: CommandActs;
  readonly onClose: () => void;
};

/** A dialog to find a command of the page by its words, and to run it. */
export function Palette({ services, runnables, acts, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // The commands are those of the moment at which the palette is opened, so that none moves under the keys.
  const groups = useMemo(() => commandsOf(services, runnables, acts), []);
  const { palette } = strings;
  // A layout effect, so that the next key goes to the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const run = (command: Command): void => {
    // The dialog is closed first: it returns the focus, which the command may then move.
    dialog.current?.close();
    onClose();
    command.run();
  };
  return (
    <dialog
      ref={dialog}
      class="picker-sheet palette"
      aria-label={palette.title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <ChoiceList
        id="commands"
        texts={{ search: palette.title, placeholder: palette.placeholder, list: palette.list, none: palette.none }}
        find={(query) => findCommands(groups, query)}
        idOf={({ id }) => `command-${id}`}
        draw={(command) => <CommandLine {...command} />}
        onChoose={run}
      />
    </dialog>
  );
}

function CommandLine({ title, icon, runnable, isCurrent = false }: Command) {
  return (
    <>
      {runnable === undefined ? (
        <>
          <Icon name={icon} size={18} />
          <span class="choice-text">
            <span>{title}</span>
          </span>
        </>
      ) : (
        <RunnableLine runnable={runnable} />
      )}
      {isCurrent && <Icon name="check" size={16} />}
    </>
  );
}
