import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { storedValue } from "./browser-storage.ts";
import { cutText } from "./cut-text.ts";
import { dayOf, formatAgo, formatDuration, formatShort, formatValue, isObject, readJson } from "./format.ts";
import { loadStyle } from "./load-style.ts";
import { memo } from "./memo.tsx";
import { Store, useStore } from "./store.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a text", () => {
  it.each([
    ["", 0, "", ""],
    ["abc", 3, "…", "abc"],
    ["abcd", 3, "…", "ab…"],
    ["abcd", 3, "", "abc"],
    ["ab🎭", 4, "", "ab🎭"],
    ["ab🎭c", 4, "", "ab🎭"],
    ["ab🎭c", 3, "", "ab"],
    ["ab🎭c", 4, "…", "ab…"],
    ["🎭x", 1, "", ""],
    ["ééé", 2, "", "éé"],
    ["abcdef", 4, "[]", "ab[]"],
  ])("%j of at most %i characters with the mark %j is %j", (...[text, longest, mark, cut]) => {
    expect(cutText(text, longest, mark)).toBe(cut);
  });
});

describe("what is written for people", () => {
  it.each([
    [0, "0 ms"],
    [0.4, "0 ms"],
    [999, "999 ms"],
    [1000, "1.0 s"],
    [2149, "2.1 s"],
    [119_999, "120.0 s"],
    [120_000, "2 min"],
    [150_000, "3 min"],
  ])("what is written for people of %f milliseconds is %s", (ms, written) => {
    expect(formatDuration(ms)).toBe(written);
  });

  it.each([
    [-5, "just now"],
    [59_999, "just now"],
    [60_000, "1 min ago"],
    [3_599_999, "59 min ago"],
    [3_600_000, "1 h ago"],
    [86_399_999, "23 h ago"],
    [86_400_000, "1 day ago"],
    [2 * 86_400_000, "2 days ago"],
    [7 * 86_400_000 - 1, "6 days ago"],
  ])("what is written for people of %i ms ago is %s", (ms, written) => {
    expect(formatAgo(1e12 - ms, 1e12)).toBe(written);
  });

  it("what is written for people of a day is Today, Yesterday, This week, or the day and the month", () => {
    const at = (day: number, hour = 0, minute = 0) => new Date(2026, 4, day, hour, minute).getTime();
    const now = at(20, 12);
    const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" });

    expect(
      [at(20, 23), at(20), at(19, 23, 59), at(19), at(18, 23, 59), at(14)].map((time) => dayOf(time, now)),
    ).toEqual(["Today", "Today", "Yesterday", "Yesterday", "This week", "This week"]);
    expect(dayOf(at(13, 23, 59), now)).toBe(day.format(at(13, 23, 59)));
  });

  it.each<[unknown, string, string]>([
    ["é\n b", "é\n b", "é b"],
    [{ a: [1] }, '{\n  "a": [\n    1\n  ]\n}', '{"a":[1]}'],
    [undefined, "", ""],
    [null, "null", "null"],
  ])("of the value %j is %j, in one line %j", (value, whole, short) => {
    expect([formatValue(value), formatShort(value)]).toEqual([whole, short]);
  });

  it("what is written for people in one line has at most so many characters, and reads only the beginning of a long text", () => {
    expect(formatShort("x".repeat(120))).toBe("x".repeat(120));
    expect(formatShort("x".repeat(121))).toBe(`${"x".repeat(119)}…`);
    expect(formatShort("abcdef", 4)).toBe("abc…");
    expect(formatShort(`${" ".repeat(15)}abc`, 4)).toBe("a");
  });

  it("is JSON, or not", () => {
    expect([readJson("[1]"), readJson("["), readJson("")]).toEqual([[1], undefined, undefined]);
    expect([{}, [], null, "a", undefined].map(isObject)).toEqual([true, false, false, false, false]);
  });
});

describe.each(["localStorage", "sessionStorage"] as const)("a value in the %s", (storage) => {
  const isNumber = (value: unknown): value is number => typeof value === "number";

  it("is kept as JSON under a name with a version, and is removed", () => {
    const items = new Map<string, string>();
    vi.stubGlobal(storage, {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    });
    const value = storedValue(storage, "é");
    expect([value.read(isNumber), value.write(7), [...items]]).toEqual([undefined, true, [["troupe:v1:é", "7"]]]);
    expect(value.read(isNumber)).toBe(7);
    value.write("x");
    expect(value.read(isNumber)).toBeUndefined();
    expect([value.write(undefined), items.size]).toEqual([true, 0]);
    items.set("troupe:v1:é", "{");
    expect(value.read(isNumber)).toBeUndefined();
  });

  it("is not kept if the browser refuses, and that is told", () => {
    const refuse = () => {
      throw new Error("Full.");
    };
    vi.stubGlobal(storage, { getItem: refuse, setItem: refuse, removeItem: refuse });
    const value = storedValue(storage, "x");

    expect([value.read(isNumber), value.write(7), value.write(undefined)]).toEqual([undefined, false, false]);
  });
});

class Pair extends Store<{ a: number; b: number }> {
  change(change: Partial<{ a: number; b: number }>): void {
    this.set(change);
  }
}

describe("a store", () => {
  it("tells its listeners of each change, until they leave, and keeps its other fields", () => {
    const pair = new Pair({ a: 1, b: 2 });
    const before = pair.state;
    const seen: unknown[] = [];
    const leave = pair.subscribe(() => void seen.push(pair.state));
    pair.change({ a: 3 });
    leave();
    pair.change({ b: 4 });

    expect([seen, pair.state, before]).toEqual([[{ a: 3, b: 2 }], { a: 3, b: 4 }, { a: 1, b: 2 }]);
  });

  it("renders a component again only if what it uses has changed", () => {
    const pair = new Pair({ a: 1, b: 2 });
    const drawn: string[] = [];
    const View = () => {
      drawn.push(`a ${useStore(pair, ({ a }) => a)}`);
      return null;
    };
    const { close } = showOnPage(() => createElement(View, {}), {});
    for (const change of [{ b: 3 }, { a: 1 }, { a: 5 }, { a: 6 }]) void act(() => pair.change(change));
    close();
    pair.change({ a: 7 });

    expect(drawn).toEqual(["a 1", "a 5", "a 6"]);
  });

  it("renders a component that uses all of it again at every change", () => {
    const pair = new Pair({ a: 1, b: 2 });
    const drawn: number[] = [];
    const View = () => {
      drawn.push(useStore(pair).b);
      return null;
    };
    showOnPage(() => createElement(View, {}), {});
    for (const b of [2, 3]) void act(() => pair.change({ b }));

    expect(drawn).toEqual([2, 2, 3]);
  });
});

it("a remembered component is rendered again only if one of its properties has changed", () => {
  const drawn: unknown[] = [];
  const Shown = memo((props: { a: number; b?: number }) => {
    drawn.push(props);
    return null;
  });
  const { showWith } = showOnPage((props: { a: number; b?: number }) => createElement(Shown, props), { a: 1 });
  for (const props of [{ a: 1 }, { a: 2 }, { a: 2 }, { a: 2, b: 1 }, { a: 2, b: 1 }, { a: 2 }]) showWith(props);

  expect(drawn).toEqual([{ a: 1 }, { a: 2 }, { a: 2, b: 1 }, { a: 2 }]);
});

describe("a style sheet", () => {
  const url = new URL("http://localhost/a.css");
  const open = (loaded: string[]) => {
    const links: (Record<string, unknown> & { listeners: Map<string, () => void> })[] = [];
    const createElementOf = (name: string) => {
      const listeners = new Map<string, () => void>();
      const link = { name, listeners, addEventListener: (type: string, act_: () => void) => listeners.set(type, act_) };
      return link;
    };
    vi.stubGlobal("document", {
      styleSheets: loaded.map((href) => ({ href })),
      createElement: createElementOf,
      head: { append: (link: never) => void links.push(link) },
    });
    return links;
  };

  it("is added once, and awaited", async () => {
    const links = open(["http://localhost/b.css"]);
    const state = { isLoaded: false };
    const loading = loadStyle(url).then(() => (state.isLoaded = true));
    expect(links).toMatchObject([{ name: "link", rel: "stylesheet", href: "http://localhost/a.css" }]);
    await Promise.resolve();
    expect(state.isLoaded).toBe(false);
    links[0]?.listeners.get("load")?.();
    await loading;
    const others = open(["http://localhost/a.css"]);
    await loadStyle(url);

    expect(others).toEqual([]);
  });

  it("a style sheet that cannot be loaded is told", async () => {
    const links = open([]);
    const loading = loadStyle(url);
    links[0]?.listeners.get("error")?.();

    await expect(loading).rejects.toThrow("The style sheet could not be loaded.");
  });
});
