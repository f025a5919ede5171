import type { RunEvent } from "@troupe/core/runs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  attempt,
  chunk,
  end,
  ended,
  follow,
  made,
  queued,
  running,
  said,
  soon,
  status,
  takeAll,
  task,
  wait,
  whole,
  working,
} from "../../test/followed-task.ts";
import type { TextPlace } from "../wire/stream-frames.ts";
import { isKnown } from "./task-follower.ts";

describe("a task that is followed", () => {
  it("is sent as it is, then that it works, its text and its end", async () => {
    const run = ended("Rain.", { usage: { totalTokens: 3 }, durationMs: 4 });
    const { follower, sent } = follow(queued, run);
    await follower.begin();
    expect(await takeAll(follower, [attempt(1), said("2.0", "Ra"), said("2.1", "in.")])).toEqual([false, false, false]);
    await soon();
    expect(await takeAll(follower, [end])).toEqual([true]);

    expect(sent).toEqual([
      task(queued),
      working,
      ["Rain.", { append: false, isLast: false }],
      whole("Rain."),
      status(run, { usage: { totalTokens: 3 }, durationMs: 4 }),
    ]);
  });

  it("has its text as one update where that is all of it", async () => {
    const { follower, sent } = follow(running, ended("Rain."));
    await follower.begin();
    await takeAll(follower, [said("2.0", "Ra"), said("2.1", "in."), end]);
    expect(sent).toEqual([task(running), ["Rain.", { append: false, isLast: true }], status(ended("Rain."))]);
  });

  it("has its text in a piece for each record, and one for each 65,536 characters", async () => {
    const long = "x".repeat(65_536);
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await takeAll(follower, [
      said("2.0", "a"),
      said("2.1", "b"),
      said("3.0", "c"),
      said("30.0", "d"),
      said("30.1", ""),
      said("30.2", long),
      said("30.3", "e"),
    ]);
    await soon();
    const texts = sent.slice(1) as [string, TextPlace][];

    expect(texts.map(([text]) => text)).toEqual(["ab", "c", `d${long}`, "e"]);
    expect(texts.map(([, { append }]) => append)).toEqual([false, true, true, true]);
  });

  it.each<[string, RunEvent[]]>([
    ["with each model call", [said("3.0", "two", "m.1")]],
    ["after a reset", [{ id: "3.0", type: "reset", step: "m.0" }, said("4.0", "two")]],
  ])("begins its text anew %s", async (_what, events) => {
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await takeAll(follower, [said("2.0", "one"), ...events]);
    await soon();
    const begins = { append: false, isLast: false };
    expect(sent.slice(1)).toEqual([
      ["one", begins],
      ["two", begins],
    ]);
  });

  it("goes on with its text after the reset of another step, and shows no other chunks", async () => {
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await takeAll(follower, [
      said("2.0", "one"),
      { id: "3.0", type: "reset", step: "m.1" },
      chunk("3.1", "m.0", { type: "reasoning", text: "no" }),
      said("4.0", "two"),
    ]);
    await soon();
    expect(sent.slice(1)).toEqual([
      ["one", { append: false, isLast: false }],
      ["two", { append: true, isLast: false }],
    ]);
  });

  it("tells once that it works, of attempts that it has not had", async () => {
    const { follower, sent } = follow({ ...queued, attempts: 1, waits: [wait] }, undefined);
    await follower.begin();
    await takeAll(follower, [attempt(1), attempt(2, 7), attempt(3)]);
    expect(sent).toEqual([task({ ...queued, attempts: 1, waits: [wait] })]);

    const other = follow({ ...running, status: "waiting", waits: [wait] }, undefined);
    await other.follower.begin();
    await takeAll(other.follower, [attempt(1), attempt(2, 7), attempt(3)]);
    expect(other.sent.slice(1)).toEqual([{ ...working, status: { state: "working", at: 7 } }]);
  });

  it("shows of a task that waited only what comes behind its answer", async () => {
    const { follower, sent } = follow({ ...running, status: "waiting", waits: [wait] }, undefined);
    await follower.begin();
    await takeAll(follower, [
      said("2.0", "old"),
      made("2.1", [{ type: "chart", data: "old", mimeType: "text/plain" }]),
      attempt(2),
      said("3.0", "new"),
    ]);
    await soon();
    expect(sent.slice(1)).toEqual([working, ["new", { append: false, isLast: false }]]);
  });
});

describe("what a followed task does not send, or sends at its bounds", () => {
  it("begins a piece behind one of 65,536 characters, and none behind one of 65,535", async () => {
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await takeAll(follower, [said("2.0", "x".repeat(65_535)), said("2.1", "é"), said("2.2", "z")]);
    await soon();
    expect(sent.slice(1)).toEqual([
      [`${"x".repeat(65_535)}é`, { append: false, isLast: false }],
      ["z", { append: true, isLast: false }],
    ]);
  });

  it("sends nothing for an empty text, a result without artifacts, nor an event of another kind", async () => {
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    const events = [
      said("2.0", ""),
      made("2.1", []),
      chunk("2.2", "t.0", { type: "tool_result", toolCallId: "c1", toolName: "draw" }),
      chunk("2.3", "m.0", { type: "tool_call_start", toolCall: { id: "c1", name: "draw" } }),
      { id: "3.0", type: "step", step: "m.1" } as unknown as RunEvent,
    ];
    expect(await takeAll(follower, events)).toEqual(events.map(() => false));
    await soon();
    expect(sent).toEqual([task(running)]);
  });

  it.each([1, 2, 3])("does not work again by the %i attempts that its reader has had", async (attempts) => {
    const { follower, sent } = follow({ ...running, status: "waiting", waits: [wait], attempts }, undefined);
    await follower.begin();
    const had = Array.from({ length: attempts }, (_, index) => attempt(index + 1));
    await takeAll(follower, had);
    expect(sent).toHaveLength(1);
    await takeAll(follower, [attempt(attempts + 1)]);
    expect(sent).toHaveLength(2);
  });

  it("works since its attempt began, or since now where the log does not say", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 77 });
    onTestFinished(() => void vi.useRealTimers());
    const { at: _, ...untimed } = attempt(1) as Extract<RunEvent, { type: "attempt" }>;
    const { follower, sent } = follow(queued, undefined);
    await follower.begin();
    await follower.take(untimed);
    expect(sent.slice(1)).toEqual([{ ...working, status: { state: "working", at: 77 } }]);
  });

  it("shows the artifacts of a tool by its call and its name", async () => {
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await follower.take(
      made("2.0", [
        { type: "chart", data: "a,b", mimeType: "text/csv" },
        { type: "note", data: { a: 1 } },
      ]),
    );
    expect(sent.slice(1)).toMatchObject([
      { artifact: { artifactId: "c1.0", name: "chart", metadata: { toolName: "draw" } }, append: false, isLast: true },
      { artifact: { artifactId: "c1.1", name: "note", metadata: { toolName: "draw" } }, append: false, isLast: true },
    ]);
  });
});

it("a question is known to a client that began to follow while it was asked", () => {
  expect(isKnown({ ...running, waits: [wait, { ...wait, id: "w2" }] }, "w2")).toBe(true);
  expect(isKnown({ ...running, waits: [wait] }, "w2")).toBe(false);
  expect(isKnown(running, "w1")).toBe(false);
});
