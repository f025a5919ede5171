import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import type { RunEvent, RunView } from "@troupe/core/runs";
import type { FoundRun } from "@troupe/core/transport";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changesOf } from "./follow-run.ts";

type Look = Partial<RunView>;

const end = { type: "end" };
const running = { status: "running" } as const;
const waiting = { status: "waiting" } as const;
const over = { status: "completed", endedAt: 7 } as const;

/** The course of a run: its pauses and events, and its record at each look; the last record is repeated. */
type Story = { pauses?: (object | Error | undefined)[]; events?: (object | undefined)[]; records: Look[] };

function startRun({ pauses = [], events = [], records }: Story) {
  const left = new AbortController();
  let looks = 0;
  const calls: string[] = [];
  const look = (): RunView => records[Math.min(looks++, records.length - 1)] as RunView;
  const get = vi.fn<() => Promise<RunView>>(async () => {
    calls.push("view");
    return await Promise.resolve(look());
  });
  const view = look();
  const untilPaused = async () => {
    calls.push("untilPaused");
    const pause = pauses.shift();
    if (pause instanceof Error) throw pause;
    return await Promise.resolve(pause);
  };
  const next = async () => {
    calls.push("next");
    return await Promise.resolve(events.shift() as RunEvent | undefined);
  };
  const run = { view: get, runId: "r1", signal: left.signal, untilPaused, next };
  const found = { run, view } as unknown as FoundRun;
  return { found, get, calls, leave: () => left.abort() };
}

/** The sleeps of the code, which take no time. */
const sleep = vi.fn<(ms?: number, value?: unknown, options?: object) => Promise<undefined>>();

beforeEach(() => {
  sleep.mockResolvedValue(undefined);
  vi.spyOn(timers, "setTimeout").mockImplementation(sleep);
  syncBuiltinESMExports();
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  sleep.mockReset();
});

async function changes(story: Story): Promise<RunView[]> {
  return await Array.fromAsync(changesOf(startRun(story).found));
}

const gone = new TroupeError("gone", "Too many events.");

describe("the changes of a run", () => {
  it("are its record alone where it is over already", async () => {
    const { found, get } = startRun({ records: [over], pauses: [waiting] });
    expect(await Array.fromAsync(changesOf(found))).toEqual([over]);
    expect(get).not.toHaveBeenCalled();
  });

  it("are what it is, each time that it waits and goes on, and its end", async () => {
    const story = { pauses: [waiting, waiting, end], events: [{ type: "attempt" }, { type: "text" }] };
    const { found, get } = startRun({ ...story, records: [running, running, running, over] });
    expect(await Array.fromAsync(changesOf(found))).toEqual([running, waiting, running, waiting, running, over]);
    expect(get).toHaveBeenCalledTimes(3);
  });

  it("the changes of a run are read from its record after the event that follows each wait", async () => {
    const story = { pauses: [waiting, waiting, end], events: [{ type: "attempt" }, { type: "text" }] };
    const { found, calls } = startRun({ ...story, records: [running, running, running, over] });
    const seen: string[] = [];
    for await (const { status } of changesOf(found)) seen.push([...calls.splice(0), status].join(" "));

    expect(seen).toEqual([
      "running",
      "untilPaused waiting",
      "next view running",
      "untilPaused waiting",
      "next view running",
      "untilPaused view completed",
    ]);
  });

  it("end with a pause that is the end, unasked", async () => {
    const { found, get } = startRun({ records: [running], pauses: [over, waiting] });
    expect(await Array.fromAsync(changesOf(found))).toEqual([running, over]);
    expect(get).not.toHaveBeenCalled();
  });

  it.each<[string, Story]>([
    ["before it pauses", { records: [running], pauses: [undefined, waiting] }],
    ["while it waits", { records: [running], pauses: [waiting, waiting], events: [undefined] }],
  ])("end when the client leaves %s", async (_, story) => {
    const seen = await changes(story);
    expect(seen).toEqual([running, waiting].slice(0, seen.length));
    expect(seen).toHaveLength(story.events === undefined ? 1 : 2);
  });

  it("end with the record that follows the end of a wait", async () => {
    const story = { pauses: [waiting, waiting], events: [end] };
    expect(await changes({ ...story, records: [running, over] })).toEqual([running, waiting, over]);
  });
});

describe("the record of a run", () => {
  it("is looked at after 5 ms, then later and later up to a second, until it has the end of the events", async () => {
    const { found, get } = startRun({ records: [...Array.from({ length: 11 }, () => running), over], pauses: [end] });
    expect(await Array.fromAsync(changesOf(found))).toEqual([running, over]);
    expect(sleep.mock.calls.map(([ms]) => ms)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000]);
    expect(get).toHaveBeenCalledTimes(11);
    const { signal } = found.run;
    expect(sleep.mock.lastCall).toStrictEqual([1000, undefined, { ref: false, signal }]);
  });

  it("is shown each second where the events were too many to be kept", async () => {
    const later = { ...running, attempts: 2 };
    expect(await changes({ records: [running, running, later, over], pauses: [gone] })).toEqual([
      running,
      running,
      later,
      over,
    ]);
    expect(sleep.mock.calls.map(([ms]) => ms)).toEqual([1000, 1000]);
  });

  it("is looked at no more once the client has left", async () => {
    const { found, get, leave } = startRun({ records: [running], pauses: [gone] });
    sleep.mockImplementationOnce(async () => {
      leave();
      throw new DOMException("The operation was aborted", "AbortError");
    });
    expect(await Array.fromAsync(changesOf(found))).toEqual([running, running]);
    expect(get).toHaveBeenCalledTimes(1);
  });
});

describe("a failure", () => {
  it.each([new TroupeError("interrupted", "The service ends."), new Error("gone")])(
    "a failure of the events is passed on: %s",
    async (failure) => {
      const { found, get } = startRun({ records: [running], pauses: [failure] });
      await expect(Array.fromAsync(changesOf(found))).rejects.toBe(failure);
      expect(get).not.toHaveBeenCalled();
    },
  );

  it.each<[string, Story]>([
    ["after a wait", { records: [running], pauses: [waiting], events: [{ type: "attempt" }] }],
    ["after the end of the events", { records: [running], pauses: [end] }],
    ["after events that are gone", { records: [running], pauses: [gone] }],
  ])("a failure of the record is passed on %s", async (_, story) => {
    const failure = new TroupeError("storage_unavailable", "The storage is away.");
    const { found, get } = startRun(story);
    get.mockRejectedValueOnce(failure).mockResolvedValue(over as RunView);
    await expect(Array.fromAsync(changesOf(found))).rejects.toBe(failure);
  });

  it("a failure of events that are gone is passed on to a client that has left", async () => {
    const { found, leave } = startRun({ records: [running], pauses: [gone] });
    leave();
    await expect(Array.fromAsync(changesOf(found))).rejects.toBe(gone);
  });
});
