import { describe, expect, it } from "vitest";
import { SourceList, isSource, toPublicSource } from "./source.ts";

const page = "https://a.example/page";

describe("SourceList.add", () => {
  it.each<[unknown, unknown]>([
    [{ id: "1" }, { id: "1" }],
    [
      { id: "1", url: page, title: "T", toolCallId: "c", more: "m" },
      { id: "1", url: page, title: "T", toolCallId: "c" },
    ],
    [
      { id: "1", url: page, title: "", toolCallId: "" },
      { id: "1", url: page },
    ],
    [{ id: "1", url: null, title: 5, toolCallId: {} }, { id: "1" }],
    [
      { id: "1", url: "mailto:a@b.c" },
      { id: "1", url: "mailto:a@b.c" },
    ],
    [{ id: "1", url: "/relative" }, { id: "1" }],
    [{ id: "1", url: "" }, { id: "1" }],
    ...["javascript:alert(1)", "JavaScript:alert(1)", " java\nscript:alert(1)", "data:text/html,x", "VBScript:x"].map(
      (url) => [{ id: "1", url }, { id: "1" }] satisfies [unknown, unknown],
    ),
  ])("takes of %j the fields that are sound", (given, added) => {
    const sources = new SourceList();

    expect(sources.add(given)).toEqual(added);
    expect(sources.all).toEqual([added]);
  });

  it.each([[null], [undefined], ["1"], [[]], [{}], [{ id: "" }], [{ id: 1 }], [{ url: page }]])(
    "leaves out %j, which is no source",
    (given) => {
      const sources = new SourceList();

      expect(sources.add(given)).toBeUndefined();
      expect(sources.all).toEqual([]);
    },
  );

  it("has each address and each id once, in the order in which they came", () => {
    const sources = new SourceList();
    const add = (id: string, url?: string) => sources.add({ id, ...(url !== undefined && { url }) });
    add("1", page);
    expect(add("2", page)).toBeUndefined();
    expect(add("1")).toBeUndefined();
    add("2");
    expect(add("2")).toBeUndefined();
    const renamed = add("1", "https://b.example/");
    expect(add("3", "https://b.example/")).toBeUndefined();

    expect(renamed?.id).not.toBe("1");
    expect(sources.all).toEqual([{ id: "1", url: page }, { id: "2" }, { id: renamed?.id, url: "https://b.example/" }]);
    expect(add(renamed?.id ?? "")).toBeUndefined();
  });

  it("has two passages of one address as two, and the same passage once", () => {
    const sources = new SourceList();
    const first = { id: "kb/a#1", url: page, passage: "One", place: "page 1", score: 0.5 };
    const second = { ...first, id: "kb/a#2", passage: "Two" };

    expect([first, second, first, second].map((source) => sources.number(source))).toEqual([1, 2, 1, 2]);
    expect(sources.number({ id: "cited", url: page })).toBe(1);
    expect(sources.number({ ...first, url: "https://b.example/" })).toBe(3);
    expect(sources.number({ ...first, url: "https://b.example/" })).toBe(3);
    expect(sources.all.slice(0, 2)).toEqual([first, second]);
  });

  it("leaves out a score that is not a finite number", () => {
    expect(new SourceList().add({ id: "1", score: NaN, place: 4, passage: "" })).toEqual({ id: "1" });
  });

  it("keeps a source with an address whose id is that of one without", () => {
    const sources = new SourceList();
    sources.add({ id: "constructor" });
    const added = sources.add({ id: "constructor", url: page, title: "T" });

    expect(added).toMatchObject({ url: page, title: "T" });
    expect(new Set(sources.all.map(({ id }) => id)).size).toBe(2);
  });
});

describe("isSource", () => {
  it.each<[unknown, boolean]>([
    [{ id: "1" }, true],
    [{ id: "1", url: page, title: "T", toolCallId: "c" }, true],
    [{ id: "1", more: 1 }, true],
    [{ id: "" }, true],
    [{}, false],
    [{ id: 1 }, false],
    [{ id: "1", url: null }, false],
    [{ id: "1", title: 5 }, false],
    [{ id: "1", passage: "P", place: "page 1", score: 0.5 }, true],
    [{ id: "1", passage: 5 }, false],
    [{ id: "1", place: {} }, false],
    [{ id: "1", score: "1" }, false],
    [{ id: "1", toolCallId: {} }, false],
    [null, false],
    [["1"], false],
    ["1", false],
  ])("of %j is %j", (value, is) => {
    expect(isSource(value)).toBe(is);
  });
});

describe("toPublicSource", () => {
  it("copies the declared fields that a source has, and no others", () => {
    const whole = { id: "s", url: page, title: "T", place: "page 1", passage: "P", score: 0.5, toolCallId: "c" };

    expect(toPublicSource({ id: "s", title: "", secret: "sk-1" } as never)).toStrictEqual({ id: "s", title: "" });
    expect(toPublicSource(whole)).toStrictEqual(whole);
  });
});
