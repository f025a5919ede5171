import { describe, expect, it } from "vitest";
import { entryLevels } from "./log-level.ts";
import { createLogOutput } from "./log-output.ts";
import type { LogOutput } from "./log-output.ts";

type Entry = Parameters<LogOutput>[0];
type Value = Entry["fields"][string];

const time = new Date("2026-11-20T02:34:56.789Z");

/** The line of an entry, without its line break. */
function lineOf(entry: Partial<Entry>, color?: boolean): string {
  const lines: string[] = [];
  const output = createLogOutput({ write: (line) => void lines.push(line), color });
  output({ time, level: "info", prefix: "", message: "Hi.", fields: {}, ...entry });
  expect(lines).toHaveLength(1);
  return lines[0]?.replace(/\n$/, "") ?? "";
}

const plain = (text: string) => text.replaceAll(new RegExp(String.raw`\u001B\[\d+m`, "g"), "");
/** The text of a field in its entry. */
const shown = (f: Value) => plain(lineOf({ fields: { f } }, true)).slice("02:34:56.789 INFO  Hi. f=".length);

const error = { name: "Error", code: "E1", message: "Out of paper.", stack: ["at a (a.js:1:1)", "at b (b.js:2:2)"] };

describe("the text of an entry", () => {
  it.each([
    ["debug", 90, "DEBUG"],
    ["info", 36, "INFO "],
    ["warn", 33, "WARN "],
    ["error", 31, "ERROR"],
  ] as const)("has the time, the level %s in its colour, the prefix and the fields", (level, color, word) => {
    const [on, off] = ["\u001B[", "\u001B[0m"];
    expect(lineOf({ level, prefix: "a/b", fields: { n: 1, s: "x y" } }, true)).toBe(
      `${on}90m02:34:56.789${off} ${on}${color}m${word}${off} ${on}90ma/b${off} Hi. ${on}90mn=${off}1 ${on}90ms=${off}"x y"`,
    );
  });

  it("has a colour for each level, and no gap for an empty prefix", () => {
    const lines = entryLevels.map((level) => lineOf({ level }, true));

    expect(lines.join()).not.toContain("undefined");
    expect(plain(lineOf({}, true))).toBe("02:34:56.789 INFO  Hi.");
  });

  it.each<[value: Value, text: string]>([
    ["a.b:c/d@e-f_1", "a.b:c/d@e-f_1"],
    ["", '""'],
    ["a b", '"a b"'],
    ["a=b", '"a=b"'],
    ["é", '"é"'],
    ["a\nb", String.raw`"a\nb"`],
    [0, "0"],
    [false, "false"],
    [null, "null"],
    [["a", 1], '["a",1]'],
    [{ a: { b: 1 } }, '{"a":{"b":1}}'],
    // What is like an error in part alone is not written like one.
    [{ message: "m", stack: "at a" }, '{"message":"m","stack":"at a"}'],
    [{ message: "m", stack: [1] }, '{"message":"m","stack":[1]}'],
    [{ message: 1, stack: [] }, '{"message":1,"stack":[]}'],
    [{ stack: [] }, '{"stack":[]}'],
    [{ message: "m" }, '{"message":"m"}'],
  ])("shows the field %j as %s", (value, text) => {
    expect(shown(value)).toBe(text);
  });

  it.each<[value: Value, text: string, frames: string[]]>([
    [error, "Error E1: Out of paper.", error.stack],
    [{ ...error, code: 7 }, "Error 7: Out of paper.", error.stack],
    [{ ...error, code: null }, "Error: Out of paper.", error.stack],
    [{ message: "m", stack: [] }, ": m", []],
    [{ ...error, cause: "a b" }, 'Error E1: Out of paper. Caused by "a b"', error.stack],
    [
      { ...error, cause: { ...error, message: "No ink.", stack: ["at c"] } },
      "Error E1: Out of paper. Caused by Error E1: No ink.",
      ["at c"],
    ],
    [
      { ...error, cause: { ...error, stack: [] } },
      "Error E1: Out of paper. Caused by Error E1: Out of paper.",
      error.stack,
    ],
  ])("shows the error %j on one line, and below it the frames of its innermost cause", (value, text, frames) => {
    expect(shown(value)).toBe([JSON.stringify(text), ...frames].join("\n    "));
  });
});

describe("the JSON of an entry", () => {
  it.each<[entry: Partial<Entry>, json: string]>([
    [{}, '{"time":"2026-11-20T02:34:56.789Z","level":"info","message":"Hi."}'],
    [{ prefix: "a" }, '{"time":"2026-11-20T02:34:56.789Z","level":"info","prefix":"a","message":"Hi."}'],
    [
      { prefix: "a", fields: { time: 1, level: 2, prefix: 3, message: 4, toString: 5, n: null } },
      '{"time":"2026-11-20T02:34:56.789Z","level":"info","prefix":"a","message":"Hi.","field.time":1,"field.level":2,"field.prefix":3,"field.message":4,"toString":5,"n":null}',
    ],
    [
      { fields: { prefix: "own" } },
      '{"time":"2026-11-20T02:34:56.789Z","level":"info","message":"Hi.","prefix":"own"}',
    ],
    [{ message: "a\u009Bb\n" }, String.raw`{"time":"2026-11-20T02:34:56.789Z","level":"info","message":"a\u009bb\n"}`],
  ])("of %j is exact", (entry, json) => {
    expect([lineOf(entry), lineOf(entry, false)]).toEqual([json, json]);
  });
});
