import { describe, expect, it } from "vitest";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import type { RunEvent } from "../record/run-view.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { logKey, logRecord } from "../../agents/journal/log-entry.ts";
import { Backlog, parsePosition, toEvents } from "./run-feed.ts";
import type { Position } from "./run-feed.ts";
import { attempt, chunks, end } from "./test/tails.ts";

describe("parsePosition", () => {
  it.each([
    ["1.0", { number: 1, index: 0 }],
    ["10.01", { number: 10, index: 1 }],
    ["123456789012.123456789", { number: 123_456_789_012, index: 123_456_789 }],
  ])("reads %s", (id, position) => {
    expect(parsePosition(id)).toStrictEqual(position);
  });

  it.each<[id: unknown]>([
    [""],
    ["0.1"],
    ["01.1"],
    ["1"],
    ["1."],
    [".1"],
    ["-1.1"],
    ["1.1 "],
    ["1.1\n"],
    ["x1.1"],
    ["1.1.1"],
    ["1,1"],
    ["١.١"],
    ["1234567890123.0"],
    ["1.1234567890"],
    [1.1],
    [["1.1"]],
    [undefined],
  ])("refuses %j", (id) => {
    expect(() => parsePosition(id as string)).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: "The position must be the id of an event of this run. Leave it out for all events.",
      }),
    );
  });
});

describe("toEvents", () => {
  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
  const wait: RunWait = { id: "w", kind: "input", about: { tool: "t" }, until: 9 };
  const error = { code: "timeout", message: "Late." } as const;

  it.each<[entry: LogEntry, event: Omit<RunEvent, "id">]>([
    [attempt, { type: "attempt", attempt: 1, node: "n" } as Omit<RunEvent, "id">],
    [{ ...attempt, n: 3, at: 0 }, { type: "attempt", attempt: 3, node: "n", at: 0 } as Omit<RunEvent, "id">],
    [
      { t: "call", step: "t/0/0", tool: "pay", args: { a: 1 }, effect: "once", key: "k", at: 5 },
      { type: "call", step: "t/0/0", toolName: "pay", args: { a: 1 }, effect: "once", at: 5 } as Omit<RunEvent, "id">,
    ],
    [
      { t: "done", step: "m/0", value: null, ms: 0 },
      { type: "done", step: "m/0", value: null, durationMs: 0 } as Omit<RunEvent, "id">,
    ],
    [
      { t: "done", step: "m/0", value: [1], ms: 7, usage, at: 6 },
      { type: "done", step: "m/0", value: [1], durationMs: 7, usage, at: 6 } as Omit<RunEvent, "id">,
    ],
    [{ t: "wait", wait, performedMs: 8 }, { type: "wait", wait } as Omit<RunEvent, "id">],
    [end, { type: "end", output: null } as Omit<RunEvent, "id">],
    [{ t: "end", output: { a: 1 }, error }, { type: "end", output: { a: 1 }, error } as Omit<RunEvent, "id">],
  ])("makes an event of an entry: %j", (entry, event) => {
    expect(toEvents({ number: 4, record: logRecord([entry]) })).toStrictEqual({
      number: 4,
      events: [{ ...event, id: "4.0" }],
      cutFrom: undefined,
    });
  });

  it("numbers the events of a record, one for each chunk and each reset, none for an attempt that left", () => {
    const entries: LogEntry[] = [
      chunks(2, "s"),
      { t: "left", why: "released" },
      { ...attempt, n: 2, void: ["s", "m/1"] },
      chunks(0),
      chunks(1),
    ];
    const record = { ...logRecord(entries), cutFrom: 9 };

    expect(toEvents({ number: 12, record })).toStrictEqual({
      number: 12,
      events: [
        { type: "chunk", step: "s", chunk: { type: "text" }, id: "12.0" },
        { type: "chunk", step: "s", chunk: { type: "text" }, id: "12.1" },
        { type: "attempt", attempt: 2, node: "n", id: "12.2" },
        { type: "reset", step: "s", id: "12.3" },
        { type: "reset", step: "m/1", id: "12.4" },
        { type: "chunk", step: "", chunk: { type: "text" }, id: "12.5" },
      ],
      cutFrom: 9,
    });
  });
});

describe("a backlog of several attempts", () => {
  const again = (n: number, ...steps: string[]): LogEntry => ({ ...attempt, n, void: steps });
  const whole: LogEntry[][] = [
    [attempt, chunks(2, "a"), chunks(1, "b"), chunks(1, "c")],
    [again(2, "a", "b"), chunks(1, "b")],
    [chunks(1, "a"), chunks(1)],
    [again(3, "a")],
    [chunks(1, "a"), end],
  ];

  /** The ids of the events that a reader behind a position gets of this log. */
  async function shown(seen: Position, log = whole): Promise<string[]> {
    const storage = new InMemoryStorage();
    for (const [at, entries] of log.entries())
      await storage.set("run-log", logKey("r", at + 1), logRecord(entries) as unknown as Json);
    const backlog = await Backlog.read(storage, "r", seen);
    const pages = log.map((entries, at) => toEvents({ number: at + 1, record: logRecord(entries) }));
    return pages.flatMap((page) =>
      page.events.filter((event) => backlog.shows(event, page.number)).map(({ id }) => id),
    );
  }

  it.each<[what: string, seen: Position, resets: string[]]>([
    ["nothing", { number: 0, index: 0 }, []],
    ["no chunk", { number: 1, index: 0 }, []],
    ["one chunk of a step", { number: 1, index: 1 }, ["2.1"]],
    ["chunks of two steps", { number: 1, index: 3 }, ["2.1", "2.2"]],
    ["chunks of three steps", { number: 1, index: 4 }, ["2.1", "2.2"]],
    ["one reset of the two", { number: 2, index: 1 }, ["2.2"]],
    ["the second chunk of a step, behind the reset of its first", { number: 3, index: 0 }, ["4.1"]],
    ["all", { number: 5, index: 1 }, []],
  ])("has no void chunks, and the resets of steps of which its reader has seen chunks: %s", async (_, seen, resets) => {
    const ids = ["1.0", "1.4", "2.0", "2.3", "3.1", "4.0", "5.0", "5.1"];

    expect(await shown(seen)).toEqual([...ids, ...resets].toSorted());
  });

  it("hides what its last record makes void, and a reset there that no reader needs", async () => {
    const log = [[attempt, chunks(1, "a")], [again(2, "a")]];

    expect(await shown({ number: 0, index: 0 }, log)).toEqual(["1.0", "2.0"]);
    expect(await shown({ number: 1, index: 1 }, log)).toEqual(["1.0", "2.0", "2.1"]);
  });

  it("hides nothing behind its end, and nothing at all when it is empty", async () => {
    const backlog = await Backlog.read(new InMemoryStorage(), "r", { number: 0, index: 0 });

    expect(backlog.shows({ type: "reset", step: "a", id: "1.0" }, 1)).toBe(true);
    expect(backlog.shows({ type: "chunk", step: "a", chunk: { type: "text" }, id: "1.1" }, 1)).toBe(true);
  });
});
