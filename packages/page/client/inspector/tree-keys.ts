import type { TreeStep } from "./run-tree.ts";

/** A visible step of the inspector's tree, with its depth and its parent. */
export type Row = { readonly step: TreeStep; readonly depth: number; readonly parent: string | undefined };

/** The visible tree of the inspector: its rows, the focused row, and the collapsed steps. */
export type ShownTree = {
  readonly rows: readonly Row[];
  readonly current: string | undefined;
  readonly closed: ReadonlySet<string>;
};

/** The effect of a pressed key in the tree: moves to a step, or opens or collapses it. */
export type KeyTarget = { readonly key: string; readonly open?: boolean } | undefined;

/** Returns the visible steps, each after its parent. */
export function rowsOf(steps: readonly TreeStep[], closed: ReadonlySet<string>): Row[] {
  const walk = (within: readonly TreeStep[], depth: number, parent: string | undefined): Row[] =>
    within.flatMap((step) => [
      { step, depth, parent },
      ...(closed.has(step.key) ? [] : walk(step.children, depth + 1, step.key)),
    ]);
  return walk(steps, 0, undefined);
}

/** Returns the effect of a pressed key, as in any desktop tree; undefined if it has none. */
export function targetOf(key: string, { rows, current, closed }: ShownTree): KeyTarget {
  const at = rows.findIndex(({ step }) => step.key === current);
  const row = rows[at];
  const target = row && Object.hasOwn(keys, key) ? keys[key] : undefined;
  return row && target?.({ row, rows, at, isOpen: row.step.children.length > 0 && !closed.has(row.step.key) });
}

type Place = { readonly row: Row; readonly rows: readonly Row[]; readonly at: number; readonly isOpen: boolean };

const keys: Readonly<Record<string, (place: Place) => KeyTarget>> = {
  ArrowDown: ({ rows, at }) => goTo(rows[at + 1]),
  ArrowUp: ({ rows, at }) => goTo(rows[at - 1]),
  Home: ({ rows }) => goTo(rows[0]),
  End: ({ rows }) => goTo(rows.at(-1)),
  Enter: ({ row }) => goTo(row),
  " ": ({ row }) => goTo(row),
  ArrowRight: ({ row, rows, at, isOpen }) => {
    if (row.step.children.length === 0) return undefined;
    return isOpen ? goTo(rows[at + 1]) : { key: row.step.key, open: true };
  },
  ArrowLeft: ({ row, isOpen }) => {
    if (isOpen) return { key: row.step.key, open: false };
    return row.parent === undefined ? undefined : { key: row.parent };
  },
};

function goTo(row: Row | undefined): KeyTarget {
  return row && { key: row.step.key };
}
