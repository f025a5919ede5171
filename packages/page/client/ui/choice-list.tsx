import type { ComponentChild } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Choices under a heading. */
export type ChoiceGroup<Item> = { readonly heading: string; readonly members: readonly Item[] };

type ListProps<Item> = {
  /** Returns the groups that match what is typed. Equal items must be the same object each time. */
  readonly find: (query: string) => readonly ChoiceGroup<Item>[];
  /** Returns the id of an item's element. */
  readonly idOf: (item: Item) => string;
  /** Draws the content of an item. */
  readonly draw: (item: Item) => ComponentChild;
  readonly onChoose: (item: Item) => void;
  /** The item that is active at first. @default the first one */
  readonly initial?: Item | undefined;
  readonly texts: {
    /** The name of the field, and its placeholder if that has no words of its own. */
    readonly search: string;
    readonly placeholder?: string;
    /** The name of the list. */
    readonly list: string;
    /** The sentence in place of the list if nothing matches. */
    readonly none: string;
  };
  /** The id of the list. */
  readonly id: string;
};

/** The number of choices that an arrow key moves by. */
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function isListKey({ key }: KeyboardEvent): boolean {
  return key === "Enter" || Object.hasOwn(steps, key);
}

/** A field to search in, which keeps the focus, and its list of choices. The arrow keys move the active choice. */
export function ChoiceList<Item>({ find, idOf, draw, onChoose, initial, texts, id }: ListProps<Item>) {
  const [query, setQuery] = useState("");
  const [moved, setMoved] = useState<Item | undefined>(initial);
  const list = useRef<HTMLDivElement>(null);
  const groups = find(query);
  const shown = groups.flatMap(({ members }) => members);
  const active = moved !== undefined && shown.includes(moved) ? moved : shown[0];
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const onKey = (event: KeyboardEvent): void => {
    if (!isListKey(event)) return;
    event.preventDefault();
    if (active === undefined || event.isComposing) return;
    if (event.key === "Enter") onChoose(active);
    else setMoved(shown[(shown.indexOf(active) + (steps[event.key] ?? 0) + shown.length) % shown.length]);
  };
  return (
    <>
      <input
        type="search"
        role="combobox"
        aria-label={texts.search}
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-activedescendant={active && idOf(active)}
        list={undefined}
        placeholder={texts.placeholder ?? texts.search}
        autocomplete="off"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {shown.length === 0 ? (
        <p class="muted">{texts.none}</p>
      ) : (
        <div id={id} class="choices" role="listbox" aria-label={texts.list} ref={list}>
          {groups.map((group) => (
            <Group key={group.heading} {...{ group, active, idOf, draw, onChoose }} />
          ))}
        </div>
      )}
    </>
  );
}

type GroupProps<Item> = Pick<ListProps<Item>, "idOf" | "draw" | "onChoose"> & {
  readonly group: ChoiceGroup<Item>;
  readonly active: Item | undefined;
};

function Group<Item>({ group: { heading, members }, active, idOf, draw, onChoose }: GroupProps<Item>) {
  return (
    <div role="group" aria-label={heading}>
      <p class="label" aria-hidden="true">
        {heading}
      </p>
      {members.map((item) => (
        <div
          key={idOf(item)}
          id={idOf(item)}
          class="choice"
          role="option"
          aria-selected={item === active}
          onClick={() => onChoose(item)}
        >
          {draw(item)}
        </div>
      ))}
    </div>
  );
}
