import { describe, expect, it } from "vitest";
import type { RunOutput } from "../run/run-output.ts";
import {
  changeFromAnswer,
  changeFromFunction,
  combineChanges,
  mergeParallelChanges,
  noStateChange,
} from "./state-change.ts";

const prototypeNames = ["constructor", "toString", "hasOwnProperty", "valueOf", "__proto__"];

/** An object with this one key of its own, also `__proto__`. */
const keyed = (key: string, value: unknown) => Object.fromEntries([[key, value]]);

const answerOf = (text: string, structured?: unknown): RunOutput => ({
  text,
  structured,
  toolCalls: [],
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
});

describe("changeFromAnswer", () => {
  it.each([[false], [0], [-1.5], [""], ["word"], [true], [[]], [{}], [{ a: [null, { b: "雨😀" }] }]])(
    "takes the structured answer %j, and not the text",
    (structured) => {
      expect(changeFromAnswer(answerOf("The text.", structured), "ask")).toEqual({
        partial: { ask: structured },
        text: "The text.",
      });
    },
  );

  it.each([undefined, null])("takes the text where the structured answer is %j", (structured) => {
    expect(changeFromAnswer(answerOf("The text.", structured), "ask")).toEqual({
      partial: { ask: "The text." },
      text: "The text.",
    });
  });

  it("keeps an empty text, as value and as text", () => {
    expect(changeFromAnswer(answerOf(""), "ask")).toEqual({ partial: { ask: "" }, text: "" });
  });

  it("replaces half of a surrogate pair in the value, which is stored", () => {
    expect(changeFromAnswer(answerOf("Snow \ud83d"), "ask").partial).toEqual({ ask: "Snow \ufffd" });
  });

  it("copies a structured answer", () => {
    const structured = { list: [1] };
    const { partial } = changeFromAnswer(answerOf("", structured), "ask");
    structured.list.push(2);

    expect(partial).toEqual({ ask: { list: [1] } });
  });

  it.each(prototypeNames)("sets the key %s of its own", (name) => {
    const { partial } = changeFromAnswer(answerOf("Hi."), name);

    expect(Object.entries(partial)).toEqual([[name, "Hi."]]);
  });

  it.each<[unknown, string]>([
    [new Date(0), "its structured answer is a Date"],
    [{ at: [new Date(0)] }, "its structured answer at .at[0] is a Date"],
    [Number.NaN, "its structured answer is NaN"],
    [() => 1, "its structured answer is a function"],
  ])("refuses an answer that is not JSON, and names the place: %#", (structured, problem) => {
    const make = () => changeFromAnswer(answerOf("", structured), "ask");

    expect(make).toThrow(expect.objectContaining({ code: "invalid_value" }));
    expect(make).toThrow(problem);
  });
});

describe("changeFromFunction", () => {
  it("makes no change of undefined", () => {
    expect(changeFromFunction(undefined)).toBe(noStateChange);
  });

  it.each([[{}], [{ a: false, b: 0, c: "", d: null }], [{ list: [{ deep: [] }] }]])(
    "takes the keys of %j",
    (returned) => {
      expect(changeFromFunction(returned)).toEqual({ partial: returned });
    },
  );

  it("copies what the function returned", () => {
    const returned = { list: [1] };
    const { partial } = changeFromFunction(returned);
    returned.list.push(2);

    expect(partial).toEqual({ list: [1] });
  });

  it.each(prototypeNames)("sets the key %s of its own", (name) => {
    expect(Object.entries(changeFromFunction(keyed(name, 1)).partial)).toEqual([[name, 1]]);
  });

  it.each([[null], [false], [0], [""], ["text"], [[]], [() => ({})]])("refuses %j", (returned) => {
    expect(() => changeFromFunction(returned)).toThrow(
      expect.objectContaining({
        code: "invalid_value",
        message: "run() must return an object with keys of the state, or undefined.",
      }),
    );
  });

  it.each<[unknown, string]>([
    [new Map(), "the return value of run() is a class instance"],
    [{ a: { b: new Date(0) } }, "the return value of run() at .a.b is a Date"],
    [{ a: [1n] }, "the return value of run() at .a[0] is a BigInt"],
  ])("names the place of what is not JSON: %#", (returned, problem) => {
    expect(() => changeFromFunction(returned)).toThrow(problem);
  });
});

describe("combineChanges", () => {
  it("takes the later value of each key, and the keys of both", () => {
    const earlier = { partial: { a: 1, b: { x: 1 }, c: 1 } };
    const later = { partial: { b: { y: 2 }, c: null, d: 4 } };

    expect(combineChanges(earlier, later)).toEqual({ partial: { a: 1, b: { y: 2 }, c: null, d: 4 } });
  });

  it.each<[string | undefined, string | undefined, string | undefined]>([
    ["one", "two", "two"],
    ["one", undefined, "one"],
    [undefined, "two", "two"],
    ["one", "", ""],
    ["", undefined, ""],
    [undefined, undefined, undefined],
  ])("takes the later text if there is one: %j, %j", (one, two, text) => {
    const change = combineChanges(
      { partial: {}, ...(one !== undefined && { text: one }) },
      { partial: {}, ...(two !== undefined && { text: two }) },
    );

    expect(change).toEqual({ partial: {}, ...(text !== undefined && { text }) });
    expect(Object.hasOwn(change, "text")).toBe(text !== undefined);
  });

  it("changes neither of the two", () => {
    const [earlier, later] = [{ partial: { a: 1 } }, { partial: { a: 2 }, text: "two" }];
    combineChanges(earlier, later);
    combineChanges(noStateChange, later);

    expect([earlier, later, noStateChange]).toEqual([
      { partial: { a: 1 } },
      { partial: { a: 2 }, text: "two" },
      { partial: {} },
    ]);
  });
});

describe("mergeParallelChanges", () => {
  const changes = (...partials: Record<string, unknown>[]) => partials.map((partial) => ({ partial }));

  it("has the keys of all, in the order of the steps", () => {
    const merged = mergeParallelChanges(changes({ b: 2 }, {}, { a: 1 }), ["one", "two", "three"]);

    expect(Object.entries(merged.partial)).toEqual([
      ["b", 2],
      ["a", 1],
    ]);
    expect(merged).not.toHaveProperty("text");
    expect(mergeParallelChanges([], [])).toEqual(noStateChange);
  });

  it.each(prototypeNames)("sets the key %s, which one step set", (key) => {
    const merged = mergeParallelChanges(changes({ a: 1 }, keyed(key, "set")), ["one", "two"]);

    expect(Object.entries(merged.partial)).toEqual([
      ["a", 1],
      [key, "set"],
    ]);
  });

  it.each([[null], [0], [false], [""], [[1, { a: 2 }]]])("accepts %j for one key from several steps", (value) => {
    const merged = mergeParallelChanges(changes({ key: value }, { key: structuredClone(value) }, { key: value }), [
      "one",
      "two",
      "three",
    ]);

    expect(merged.partial).toEqual({ key: value });
  });

  it.each<[unknown, unknown]>([
    [1, 2],
    [null, 0],
    [0, false],
    ["", null],
    ["1", 1],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: 1, b: 2 }],
  ])("refuses different values for one key: %j, %j", (one, other) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ]) {
      expect(() => mergeParallelChanges(changes({ key: first }, {}, { key: second }), ["one", "two", "three"])).toThrow(
        expect.objectContaining({
          code: "invalid_value",
          message: 'its steps "one" and "three" set "key" to different values: let each step set its own key.',
          fields: { key: "key" },
        }),
      );
    }
  });

  it.each(prototypeNames)("refuses different values for the key %s", (key) => {
    expect(() => mergeParallelChanges(changes(keyed(key, 1), keyed(key, 2)), ["one", "two"])).toThrow(
      expect.objectContaining({ code: "invalid_value", fields: { key } }),
    );
  });

  it.each<[(string | undefined)[], string | undefined]>([
    [[undefined, undefined], undefined],
    [["one", undefined], "one"],
    [[undefined, "two"], "two"],
    [["", undefined], ""],
    [["one", "two"], "one\n\ntwo"],
    [["one", undefined, "three"], "one\n\nthree"],
    [["b", "a", "c"], "b\n\na\n\nc"],
  ])("joins the texts %j in the order of the steps", (texts, text) => {
    const given = texts.map((each) => ({ partial: {}, ...(each !== undefined && { text: each }) }));
    const merged = mergeParallelChanges(
      given,
      texts.map((_, index) => `step${index}`),
    );

    expect(merged.text).toBe(text);
  });
});
