import { describe, expect, it } from "vitest";
import { compareUtf8 } from "../../base/util/compare-utf8.ts";
import { RecordFolder } from "./record-folder.ts";
import type { ListOptions } from "./storage-driver.ts";

const keys = ["a", "a/", "a/b", "a/b/c", "a/b/d", "a/b2", "a0", "ab", "b/x/1", "b/x/2", "b/y", "é", "\u{ffff}", "😀"];

function folderOf(names: readonly string[]): RecordFolder {
  const folder = new RecordFolder();
  for (const name of names) folder.set(name, `of ${name}`);
  return folder;
}

const listed = (folder: RecordFolder, prefix = "", options?: ListOptions) =>
  [...folder.list(prefix, options)].map(({ key, text }) => {
    expect(text).toBe(`of ${key}`);
    return key;
  });

/** Returns the expected result of a listing, made by filtering all keys. */
function expected(names: readonly string[], prefix: string, { limit, reverse = false, after }: ListOptions): string[] {
  const sorted = names.filter((name) => name.startsWith(prefix)).toSorted(compareUtf8);
  const ordered = reverse ? sorted.toReversed() : sorted;
  const rest = ordered.filter((name) => {
    if (after === undefined) return true;
    return reverse ? compareUtf8(name, after) < 0 : compareUtf8(name, after) > 0;
  });
  return rest.slice(0, limit);
}

describe("the records of a folder", () => {
  it.each(["", "a", "a/", "a/b", "a/b/", "a/b/c", "b", "b/x/", "b/z/", "c", "é", "😀"])(
    "below %j are listed in the order of their keys, from any key on and in both directions",
    (prefix) => {
      const folder = folderOf(keys.toReversed());
      const starts = [
        undefined,
        "",
        "0",
        "a",
        "a/",
        "a/b",
        "a/b/",
        "a/b/c",
        "a/b/cc",
        "a/c",
        "a1",
        "b/x",
        "b/x/1",
        "é",
        "\u{10ffff}",
      ];
      for (const after of starts) {
        for (const reverse of [false, true]) {
          for (const limit of [undefined, 1, 2, 99]) {
            const options = { reverse, ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) };
            expect(listed(folder, prefix, options), JSON.stringify(options)).toEqual(expected(keys, prefix, options));
          }
        }
      }
    },
  );

  it("are found by their keys alone", () => {
    const folder = folderOf(keys);
    for (const key of keys) expect(folder.get(key)).toBe(`of ${key}`);
    for (const key of ["", "a/b/", "a/b/x", "b", "b/", "b/x", "c/d", "__proto__", "constructor"])
      expect(folder.get(key)).toBeUndefined();
  });

  it("are replaced by later ones, and stay at their places", () => {
    const folder = folderOf(["a/1", "a/2", "b"]);
    listed(folder);
    folder.set("a/1", "new");
    folder.set("b", "new");
    expect([...folder.list("")]).toEqual([
      { key: "a/1", text: "new" },
      { key: "a/2", text: "of a/2" },
      { key: "b", text: "new" },
    ]);
  });

  it("are listed with those that came and went since the last listing", () => {
    const folder = folderOf(["a/b/1", "c"]);
    expect(listed(folder)).toEqual(["a/b/1", "c"]);
    folder.set("a/b/0", "of a/b/0");
    folder.set("b/1", "of b/1");
    expect(listed(folder)).toEqual(["a/b/0", "a/b/1", "b/1", "c"]);
    folder.delete("a/b/1");
    folder.delete("c");
    expect(listed(folder)).toEqual(["a/b/0", "b/1"]);
    folder.delete("a/b/0");
    expect(listed(folder)).toEqual(["b/1"]);
    expect(listed(folder, "a/")).toEqual([]);
  });

  it("are gone with the last of them, and deleting what is not there changes nothing", () => {
    const folder = folderOf(["a/b/c", "d"]);
    for (const key of ["a", "a/b", "a/b/x", "x/y", "", "dd"]) folder.delete(key);
    expect(listed(folder)).toEqual(["a/b/c", "d"]);
    folder.delete("a/b/c");
    expect([folder.isEmpty, folder.get("a/b/c")]).toEqual([false, undefined]);
    folder.delete("d");
    expect(folder.isEmpty).toBe(true);
    folder.set("a/b/c", "of a/b/c");
    expect([folder.isEmpty, listed(folder)]).toEqual([false, ["a/b/c"]]);
  });

  it.each([
    ["a/", ["a", "a0", "ab", "b/x/1", "b/x/2", "b/y", "é", "\u{ffff}", "😀"]],
    ["a/b/", keys.filter((key) => !key.startsWith("a/b/"))],
    ["b/x/", keys.filter((key) => !key.startsWith("b/x/"))],
    ["b/y/", keys],
    ["z/", keys],
    ["z/y/", keys],
  ])("below %j are removed at once, and no others", (prefix, left) => {
    const folder = folderOf(keys);
    listed(folder);
    folder.deleteAll(prefix);
    expect(listed(folder)).toEqual(expected(left, "", {}));
  });

  it("leave nothing when all below two prefixes are removed", () => {
    const folder = folderOf(["a/b/1", "a/c/1"]);
    folder.deleteAll("a/b/");
    expect(folder.isEmpty).toBe(false);
    folder.deleteAll("a/c/");
    expect(folder.isEmpty).toBe(true);
  });
});
