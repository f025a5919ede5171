import { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { attempt, chunk, GivenRun } from "../../test/given-run.ts";
import { answer, end, keepPauses, own, settle, start, wait } from "../../test/ui-answer.ts";

const asked = [start, { type: "start-step" }, expect.objectContaining({ type: "data-wait", id: "t.0.0" })];
const paused = [{ type: "finish-step" }, { type: "finish", finishReason: "tool-calls" }, "[DONE]"];

const lateText = [
  { type: "text-start", id: "text-1" },
  { type: "text-delta", id: "text-1", delta: "Late." },
  { type: "text-end", id: "text-1" },
];

describe("a message that waits", () => {
  it("ends when the run waits, behind what it has stored since, and looks at growing intervals", async () => {
    const { pauses, look } = keepPauses();
    const run = new GivenRun().give(attempt(1), wait);
    run.views = [{ status: "running", attempts: 1 }];
    run.stored = [
      { id: "1.3", ...chunk("text", { text: "Late." }, "m/1") },
      { id: "1.4", ...end },
    ];
    const { done, sent, response, entries } = answer(run, { own });
    await settle();
    for (let count = 0; count < 10; count++) await look();
    expect(pauses.map(({ ms }) => ms)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000]);
    expect(pauses[0]?.options).toMatchObject({ ref: false });
    run.views = [{ status: "waiting", attempts: 1 }];
    await look();
    await done;

    expect(sent()).toEqual([...asked, ...lateText, ...paused]);
    expect(run.told).toContain("view");
    expect(run.told).toContainEqual(["storedEvents", "r1", { userId: "ada" }, "1.2"]);
    expect([response.ends, run.ends, entries]).toEqual([1, 1, []]);
  });

  it.each([
    ["goes on elsewhere", { status: "waiting", attempts: 2 }, undefined],
    ["still waits in the attempt that was answered", { status: "waiting", attempts: 1 }, 1],
    ["is queued", { status: "queued", attempts: 1 }, undefined],
    ["is over", { status: "completed", attempts: 1 }, undefined],
  ])("goes on while the run %s", async (_, view, attempts) => {
    const { pauses, look } = keepPauses();
    const run = new GivenRun().give(attempt(1), wait);
    run.views = [view];
    const { done, sent } = answer(run, {
      own,
      ...(attempts !== undefined && { continued: { waitIds: ["none"], attempts } }),
    });
    await settle();
    await look();
    expect(pauses).toHaveLength(2);

    run.give(end);
    await done;
    expect(sent().at(-2)).toMatchObject({ type: "finish", finishReason: "stop" });
  });

  it("ends in the second attempt that waits, and not in one that is behind", async () => {
    const { look } = keepPauses();
    const run = new GivenRun().give(attempt(2), wait);
    run.views = [{ status: "waiting", attempts: 2 }];
    const { done, sent } = answer(run, { own, continued: { waitIds: [], attempts: 1 } });
    await settle();
    await look();
    await done;

    expect(sent()).toEqual([...asked, ...paused]);
  });

  it("looks no more once the next event has come", async () => {
    const { pauses, look } = keepPauses();
    const run = new GivenRun().give(attempt(1), wait);
    run.views = [{ status: "waiting", attempts: 1 }];
    const { done } = answer(run, { own });
    await settle();
    run.give(end);
    await done;
    await look();

    expect(pauses[0]?.options?.signal?.aborted).toBe(true);
    expect(pauses).toHaveLength(1);
    expect(run.told.slice(0, 4)).toEqual(["follow", "next", "next", "next"]);
    expect(run.told).not.toContain("view");
  });

  it("ends with the failure of a look", async () => {
    const { look } = keepPauses();
    const run = new GivenRun().give(attempt(1), wait);
    run.views = [new TroupeError("storage_unavailable", "No storage.")];
    const { done, sent, entries } = answer(run, { own });
    await settle();
    await look();
    await done;

    expect(sent().slice(-2)).toMatchObject([{ type: "error" }, "[DONE]"]);
    expect(entries).toHaveLength(1);
  });
});

describe("a message that goes on", () => {
  const continued = { waitIds: ["t.0.0"], attempts: 1 };

  it("begins with the first attempt behind all questions that were answered", async () => {
    const { look } = keepPauses();
    const run = new GivenRun().give(attempt(1), chunk("text", { text: "Before." }), wait);
    run.views = [{ status: "waiting", attempts: 1 }];
    const { done, sent } = answer(run, { own, continued, early: true });
    await settle();
    await look();
    expect(sent()).toEqual([]);

    run.give(attempt(2), chunk("text", { text: "Hi." }, "m/1"), end);
    await done;
    expect(sent().slice(0, 4)).toMatchObject([start, { type: "start-step" }, { type: "text-start" }, { delta: "Hi." }]);
    expect(sent().filter((data) => (data as { type?: string }).type === "start")).toHaveLength(1);
  });

  it("stays silent in an attempt that has not come to each of its questions", async () => {
    keepPauses();
    const run = new GivenRun().give(attempt(1), wait, attempt(2), chunk("text", { text: "Hi." }, "m/1"));
    run.views = [{ status: "running", attempts: 2 }];
    const { done, sent } = answer(run, { own, continued: { waitIds: ["t.0.0", "t.0.1"], attempts: 1 }, early: true });
    await settle();
    expect(sent()).toEqual([]);

    run.give(end);
    await done;
    expect(sent().slice(-3)).toMatchObject([{ type: "finish-step" }, { type: "finish" }, "[DONE]"]);
  });

  it("tells of a failure before its first attempt, where the head was sent", async () => {
    keepPauses();
    const run = new GivenRun().give(attempt(1), wait, new TroupeError("internal", "It broke."));
    run.views = [{ status: "running", attempts: 1 }];
    const { done, sent } = answer(run, { own, continued, early: true });
    await done;

    expect(sent()).toMatchObject([start, { type: "message-metadata" }, { type: "error" }, "[DONE]"]);
  });
});
