/** An edit of a JSON document in place. */
export type Edit = (document: unknown) => void;

type Holder = Record<string, unknown>;

/** Sets the value at a path like `messages.1.role`. */
export function set(path: string, value: unknown): Edit {
  return (document) => {
    const [holder, name] = find(document, path);
    holder[name] = value;
  };
}

/** Removes a field or an array entry. */
export function drop(path: string): Edit {
  return (document) => {
    const [holder, name] = find(document, path);
    if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else delete holder[name];
  };
}

/** Inserts an entry before the one at a path. */
export function insert(path: string, value: unknown): Edit {
  return (document) => {
    const [holder, name] = find(document, path);
    if (!Array.isArray(holder)) throw new TypeError(`Nothing can be inserted at "${path}".`);
    holder.splice(Number(name), 0, value);
  };
}

/** Inserts a copy of an entry after it. */
export function repeat(path: string): Edit {
  return (document) => {
    const [holder, name] = find(document, path);
    insert(path, structuredClone(holder[name]))(document);
  };
}

/** Swaps two entries. */
export function swap(path: string, other: string): Edit {
  return (document) => {
    const [[holder, name], [otherHolder, otherName]] = [find(document, path), find(document, other)];
    [holder[name], otherHolder[otherName]] = [otherHolder[otherName], holder[name]];
  };
}

/** Returns a changed copy of a document. */
export function edited(document: unknown, edits: readonly Edit[]): unknown {
  const copy = structuredClone(document);
  for (const edit of edits) edit(copy);
  return copy;
}

function find(document: unknown, path: string): [Holder, string] {
  const names = path.split(".");
  const last = names.pop() ?? "";
  let holder = document as Holder;
  for (const name of names) {
    const next = holder[name];
    if (typeof next !== "object" || next === null) throw new TypeError(`There is nothing at "${path}".`);
    holder = next as Holder;
  }
  return [holder, last];
}
