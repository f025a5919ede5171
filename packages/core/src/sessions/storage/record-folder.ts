import { compareUtf8 } from "../../base/util/compare-utf8.ts";
import { SortedKeys } from "./sorted-keys.ts";
import type { ListOptions } from "./storage-driver.ts";

/** A record in storage in memory: its key, or the key's part below a folder, and its value as JSON. */
export type FolderRecord = { key: string; text: string };

/** The range of a folder's records to list, by their keys within the folder. */
type Range = { readonly prefix: string; readonly after: string | undefined; readonly reverse: boolean };

/**
 * Records in memory whose keys share a prefix up to a `/`; the top folder is a whole namespace. Records are found by
 * key and listed in key order. A key is a path: each of its parts that ends with `/` names a nested folder.
 *
 * A value is stored as JSON text, because a string is a single object for the garbage collector. Keys are sorted when a
 * folder is first listed, because most folders never are.
 */
export class RecordFolder {
  /** The values by the last part of their keys, which contains no `/`, and the folders by the part that names them. */
  readonly #entries = new Map<string, string | RecordFolder>();
  #names: SortedKeys | undefined;

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Returns the value of a record, as JSON. */
  get(key: string): string | undefined {
    const slash = key.indexOf("/") + 1;
    if (slash === 0) return this.#entries.get(key) as string | undefined;
    return this.#folder(key.slice(0, slash))?.get(key.slice(slash));
  }

  set(key: string, text: string): void {
    const slash = key.indexOf("/") + 1;
    if (slash === 0) return this.#put(key, text);
    const name = key.slice(0, slash);
    const known = this.#folder(name);
    const folder = known ?? new RecordFolder();
    folder.set(key.slice(slash), text);
    if (known === undefined) this.#put(name, folder);
  }

  delete(key: string): void {
    const slash = key.indexOf("/") + 1;
    if (slash === 0) return this.#remove(key);
    const name = key.slice(0, slash);
    const folder = this.#folder(name);
    folder?.delete(key.slice(slash));
    if (folder?.isEmpty === true) this.#remove(name);
  }

  /** Removes all records below a prefix that ends with `/`. */
  deleteAll(prefix: string): void {
    const slash = prefix.indexOf("/") + 1;
    const name = prefix.slice(0, slash);
    if (slash === prefix.length) return this.#remove(name);
    const folder = this.#folder(name);
    folder?.deleteAll(prefix.slice(slash));
    if (folder?.isEmpty === true) this.#remove(name);
  }

  /** @yields the records below a prefix, without visiting other records */
  *list(prefix: string, { limit = Infinity, reverse = false, after }: ListOptions = {}): Generator<FolderRecord, void> {
    let left = limit;
    for (const record of this.#list("", { prefix, after, reverse })) {
      if (left === 0) return;
      left -= 1;
      yield record;
    }
  }

  *#list(path: string, range: Range): Generator<FolderRecord, void> {
    const { prefix, reverse } = range;
    const slash = prefix.indexOf("/") + 1;
    // A prefix that names a folder leads to it directly, without sorting its sibling folders.
    const names = slash > 0 ? [prefix.slice(0, slash)] : this.#namesIn(range);
    for (const name of names) {
      const entry = this.#entries.get(name);
      if (slash === 0 && !name.startsWith(prefix)) return;
      if (typeof entry === "string") yield { key: path + name, text: entry };
      else if (entry !== undefined) {
        const after = afterWithin(name, range);
        if (after !== null) yield* entry.#list(path + name, { prefix: prefix.slice(name.length), after, reverse });
      }
    }
  }

  /** Returns the names of the entries from the beginning of a range, in the range's direction. */
  #namesIn({ prefix, after, reverse }: Range): Iterable<string> {
    const names = (this.#names ??= SortedKeys.of(this.#entries.keys()));
    if (reverse) {
      return names.before(
        (name) =>
          (name.startsWith(prefix) || compareUtf8(name, prefix) < 0) &&
          (after === undefined || compareUtf8(name, after) < 0),
      );
    }
    return names.after(
      (name) =>
        compareUtf8(name, prefix) < 0 ||
        (after !== undefined && compareUtf8(name, after) <= 0 && !(name.endsWith("/") && after.startsWith(name))),
    );
  }

  #folder(name: string): RecordFolder | undefined {
    return this.#entries.get(name) as RecordFolder | undefined;
  }

  #put(name: string, entry: string | RecordFolder): void {
    if (this.#names !== undefined && !this.#entries.has(name)) this.#names.add(name);
    this.#entries.set(name, entry);
  }

  #remove(name: string): void {
    if (this.#entries.delete(name)) this.#names?.remove(name);
  }
}

/**
 * Returns the key within a folder after which its records are in a range; `undefined` if all of them are in the range,
 * `null` if none are.
 */
function afterWithin(name: string, { after, reverse }: Range): string | undefined | null {
  if (after === undefined) return undefined;
  if (after.startsWith(name)) return after.slice(name.length);
  return compareUtf8(name, after) > 0 === reverse ? null : undefined;
}
