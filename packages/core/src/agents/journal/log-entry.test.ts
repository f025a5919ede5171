import { describe, expect, it } from "vitest";
import { toJson } from "../../sessions/storage/check-json.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isLogRecord, logKey, logPrefix, logRecord, readLogRecord, runNamespaces, toLogged } from "./log-entry.ts";
import type { LogEntry } from "./log-entry.ts";

/** Nests arrays or objects by a number of levels around a value. */
function nest(levels: number, inner: Json, isArray = false): Json {
  let value = inner;
  for (let level = 0; level < levels; level++) value = isArray ? [value] : { in: value };
  return value;
}

const call = { t: "call", step: "s", tool: "t", effect: "once", key: "k" } as const;

/** The places of values in entries: a chunk lies deepest. */
const entries: [place: string, entry: (value: Json) => LogEntry][] = [
  ["a chunk", (value) => ({ t: "chunks", step: "s", chunks: [toLogged({ type: "x", ...(value as object) })] })],
  ["a result", (value) => ({ t: "done", step: "s", value: toLogged(value), ms: 1 })],
  ["arguments", (value) => ({ ...call, args: toLogged(value) })],
  ["an output", (value) => ({ t: "end", output: toLogged(value) })],
];

describe("toLogged", () => {
  it.each(entries)("makes %s of any depth one that a storage takes", (_place, entryOf) => {
    for (const levels of [1, 57, 58, 59, 60, 61, 62, 63, 64, 65, 200]) {
      expect(() => toJson(logRecord([entryOf(nest(levels, 7))])), `${levels} levels`).not.toThrow();
    }
  });

  it("keeps what is within 60 levels, and only that", () => {
    expect(toLogged(nest(60, 7))).toEqual(nest(60, 7));
    expect(toLogged(nest(60, [7], true))).toEqual(nest(60, null, true));
    expect(toLogged(nest(61, 7))).toEqual(nest(60, null));
  });

  it.each<[name: string, value: unknown, logged: unknown]>([
    ["null", null, null],
    ["0", 0, 0],
    ["false", false, false],
    ["an empty text", "", ""],
    ["infinity", [Infinity, Number.NaN], [null, null]],
    ["a function", { call: () => 1 }, { call: null }],
    ["undefined in an object", { left: undefined, kept: 1 }, { kept: 1 }],
    ["undefined in an array", [undefined, 1], [null, 1]],
    ["half a character", "a\uD83D", "a\uFFFD"],
    ["a name of the prototype", JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":1}}')],
  ])("copies %s", (_name, value, logged) => {
    expect(JSON.stringify(toLogged(value))).toBe(JSON.stringify(logged));
    expect(() => toJson(toLogged(value))).not.toThrow();
  });
});

describe("the keys of log records", () => {
  it("sort by number, and lie under the prefix of their run alone", () => {
    const keys = [1, 2, 9, 10, 11, 999, 1000].map((number) => logKey("run/1", number));
    expect(keys.toSorted()).toEqual(keys);
    expect(keys.every((key) => key.startsWith(logPrefix("run/1")))).toBe(true);
    for (const other of ["run", "run/", "run/10", "run/1/", "RUN/1", "run1"]) {
      expect(
        keys.some((key) => key.startsWith(logPrefix(other))),
        other,
      ).toBe(false);
    }
    expect(logKey("é", 1)).toBe("%C3%A9/000000000001");
  });
});

describe("a stored log record", () => {
  const whole: LogEntry[] = [
    { t: "attempt", n: 1, id: "i", node: "n", print: "" },
    { t: "chunks", step: "", chunks: [] },
    { ...call, args: null },
    { t: "done", step: "s", value: null, ms: 0 },
    { t: "wait", wait: { id: "w", kind: "input", about: null }, performedMs: 0 },
    { t: "left", why: "released" },
    { t: "end", output: null },
  ];

  it("is read as it was made, with each kind of entry", () => {
    for (const each of [[], ...whole.map((entry) => [entry]), whole]) {
      expect(readLogRecord(logRecord(each), { namespace: "run-log", key: "r/1" })).toEqual({ v: 1, entries: each });
    }
  });

  it.each<[name: string, value: unknown]>([
    ["nothing", null],
    ["a text", "chunks"],
    ["an array", []],
    ["no version", { entries: [] }],
    ["another version", { v: 2, entries: [] }],
    ["no entries", { v: 1 }],
    ["entries that are none", { v: 1, entries: { 0: { t: "end" } } }],
    ["an entry of null", { v: 1, entries: [null] }],
    ["an entry without a type", { v: 1, entries: [{}] }],
    ["an unknown entry behind a good one", { v: 1, entries: [{ t: "end", output: null }, { t: "later" }] }],
    ["an entry with the name of a method", { v: 1, entries: [{ t: "toString" }] }],
  ])("is damaged when it has %s", (_name, value) => {
    expect(isLogRecord(value)).toBe(false);
    const read = () => readLogRecord(value, { namespace: "run-log", key: "r/000000000001" });
    expect(read).toThrow(
      expect.objectContaining({
        code: "storage_corrupt",
        fields: expect.objectContaining({ namespace: "run-log", key: "r/000000000001" }),
      }),
    );
  });
});

it("runNamespaces are those in which earlier releases have stored runs", () => {
  expect(runNamespaces).toStrictEqual({
    runs: "runs",
    input: "run-input",
    open: "run-open",
    log: "run-log",
    inbox: "run-inbox",
    byOwner: "run-by",
    schedules: "schedules",
    dueSchedules: "schedule-due",
    schedulesByOwner: "schedule-by",
    webhooks: "webhooks",
    outbox: "outbox",
    deliveries: "run-deliveries",
    nodes: "run-nodes",
  });
});
