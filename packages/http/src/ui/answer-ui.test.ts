import { TroupeError } from "@troupe/core";
import { noUsage } from "@troupe/core/adapter";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { attempt, chunk, GivenRun } from "../../test/given-run.ts";
import { replaceSleep } from "../../test/replace-sleep.ts";
import { exchangeOf, WrittenResponse } from "../../test/written-response.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { answerUi } from "./answer-ui.ts";
import type { UiAnswerOptions } from "./answer-ui.ts";

type Options = Partial<Omit<UiAnswerOptions, "settings">>;

/** The pauses before the looks at the run, each over when the test says so. */
const pauses: {
  ms: unknown;
  options: { ref?: boolean | undefined; signal?: AbortSignal | undefined } | undefined;
  end: () => void;
}[] = [];

beforeEach(() => {
  pauses.length = 0;
  const restore = replaceSleep(async (ms, options) => {
    await new Promise<void>((resolve, reject) => {
      options?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      pauses.push({ ms, options, end: resolve });
    });
  });
  onTestFinished(restore);
});

/** Answers with a run. `sent`: the data so far. */
function answer(run: GivenRun, { early = false, ...options }: Options = {}, response = new WrittenResponse()) {
  const made = exchangeOf(response);
  const settings = { servedRuns: run.servedRuns, heartbeatMs: 700 } as unknown as RouterSettings;
  const done = answerUi(made.exchange, run.run, { settings, early, ...options });
  done.catch(() => undefined);
  return { ...made, done, response, sent: () => response.events.map(({ data }) => data) };
}

/** Lets all that can go on without a timer go on. */
const settle = async () => await new Promise((resolve) => setImmediate(resolve));

/** Ends the pause before the next look. */
async function look(): Promise<void> {
  pauses.at(-1)?.end();
  await settle();
}

const own = { runId: "r1", apiKey: "secret-12345678" };
const usage = { ...noUsage, promptTokens: 3, completionTokens: 4, totalTokens: 7 };
const end = { type: "end", output: { text: "Hi.", usage } };
const wait = { type: "wait", wait: { id: "t.0.0", kind: "doubt", about: {}, toolCallId: "t1" } };
const start = { type: "start", messageId: "r1" };
const head = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};
const hi = [
  start,
  { type: "start-step" },
  { type: "text-start", id: "text-1" },
  { type: "text-delta", id: "text-1", delta: "Hi." },
];
const asked = [start, { type: "start-step" }, expect.objectContaining({ type: "data-wait", id: "t.0.0" })];
const paused = [{ type: "finish-step" }, { type: "finish", finishReason: "tool-calls" }, "[DONE]"];

describe("answerUi", () => {
  it("sends a whole message without ids of events, notes its tokens and lets the run go", async () => {
    const run = new GivenRun().give(attempt(1), chunk("text", { text: "Hi." }), end);
    const { done, response, entries, request, sent } = answer(run, { own });
    await done;

    expect([response.status, response.headers]).toEqual([200, head]);
    expect(sent()).toEqual([
      ...hi,
      { type: "text-end", id: "text-1" },
      { type: "finish-step" },
      {
        type: "finish",
        finishReason: "stop",
        messageMetadata: { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } },
      },
      "[DONE]",
    ]);
    expect(response.events.map(({ id }) => id)).toEqual(sent().map(() => undefined));
    expect([response.ends, run.ends, entries]).toEqual([1, 1, []]);
    expect(requestRecordOf(response.asResponse)).toEqual({ tokens: 7 });
    expect(request["next"]).toBeUndefined();
    expect(run.told).toEqual([["follow", run.run], "next", "next", "next"]);
    expect(pauses).toEqual([]);
  });

  it.each([true, false])("sends its head before any event: %s, as its request asks", async (early) => {
    const run = new GivenRun().give(attempt(1));
    const { done, response, sent } = answer(run, { early, own });
    await settle();
    expect([response.headersSent, sent()]).toEqual([early, []]);

    run.give(chunk("text", { text: "Hi." }));
    await settle();
    expect(sent()).toEqual(hi);
    run.give(end);
    await done;
  });

  it("sends a heartbeat when nothing else was sent for that long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const run = new GivenRun();
    const { done, response } = answer(run, { own });
    vi.advanceTimersByTime(699);
    expect(response.headersSent).toBe(false);
    vi.advanceTimersByTime(1);
    await settle();
    expect(response.body).toBe(": heartbeat\n\n");
    run.give(end);
    await done;
  });

  it("rejects with the failure of its own run as long as nothing was sent, without the head of a stream, also later", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const error = new TroupeError("internal", "It broke.");
    const run = new GivenRun().give(error);
    const { done, response, entries } = answer(run, { own });

    await expect(done).rejects.toBe(error);
    vi.advanceTimersByTime(60_000);
    expect([response.status, response.headers, response.body]).toEqual([undefined, {}, ""]);
    expect([response.ends, run.ends, entries]).toEqual([0, 1, []]);
  });

  it("sends the failure of its own run as an error behind the head, and logs it without its keys", async () => {
    const run = new GivenRun().give(new TroupeError("internal", "secret-12345678 broke."));
    const { done, entries, sent, response } = answer(run, { own, early: true });
    await done;

    expect(sent()).toEqual([
      start,
      { type: "message-metadata", messageMetadata: { error: { code: "internal" } } },
      { type: "error", errorText: expect.any(String) as string },
      "[DONE]",
    ]);
    expect(entries).toMatchObject([{ level: "error", requestId: "q1", runId: "r1" }]);
    expect(JSON.stringify([entries, sent()])).not.toContain("secret-");
    expect([response.ends, run.ends]).toEqual([1, 1]);
  });

  it("sends the failure of a run that is not the request's own with status 200, and does not log it", async () => {
    const run = new GivenRun().give(new TroupeError("internal", "It broke."));
    const { done, entries, sent, response } = answer(run);
    await done;

    expect(response.status).toBe(200);
    expect(sent().map((data) => (data as { type?: string }).type)).toEqual([
      "start",
      "message-metadata",
      "error",
      undefined,
    ]);
    expect(entries).toEqual([]);
  });

  it("closes the text that is open before the error of a run that failed at its end", async () => {
    const error = { code: "rate_limited", message: "Too many.", retryAfterMs: 5 };
    const run = new GivenRun().give(attempt(1), chunk("text", { text: "Hi." }), { type: "end", output: null, error });
    const { done, sent, response, entries } = answer(run, { own });
    await done;

    expect(sent().slice(hi.length)).toEqual([
      { type: "text-end", id: "text-1" },
      {
        type: "message-metadata",
        messageMetadata: { error: expect.objectContaining({ code: "rate_limited", runId: "r1" }) as object },
      },
      { type: "error", errorText: "Too many." },
      "[DONE]",
    ]);
    expect(requestRecordOf(response.asResponse)).toEqual({});
    expect(entries).toEqual([]);
  });

  it("sends nothing and logs nothing more for a client that has left, and marks no end of the message", async () => {
    const run = new GivenRun().give(attempt(1), chunk("text", { text: "Hi." }));
    const { done, response, entries, sent } = answer(run, { own });
    await settle();
    response.leave();
    await done;

    expect(sent()).toEqual(hi);
    expect([response.sentInVain, run.ends, entries]).toEqual([0, 1, []]);
    expect(run.told.at(-1)).toBe("leave");
  });

  it("ends without the mark of an end where a reader is let go before the end of its run", async () => {
    const run = new GivenRun();
    const { done, response, entries } = answer(run, { early: true, own });
    run.tail.leave();
    await done;

    expect([response.status, response.body, response.ends, entries]).toEqual([200, "", 1, []]);
  });

  it("reads no further event while its reader is behind", async () => {
    const response = Object.assign(new WrittenResponse(), { isFull: true });
    const run = new GivenRun().give(chunk("text", { text: "a".repeat(20_000) }), chunk("text", { text: "b" }), end);
    const { done } = answer(run, { own }, response);
    await settle();
    expect(run.told.filter((each) => each === "next")).toHaveLength(1);

    response.drain();
    await done;
    expect(run.told.filter((each) => each === "next")).toHaveLength(3);
  });
});

const lateText = [
  { type: "text-start", id: "text-1" },
  { type: "text-delta", id: "text-1", delta: "Late." },
  { type: "text-end", id: "text-1" },
];

describe("a message that waits", () => {
  it("ends when the run waits, behind what it has stored since, and looks at growing intervals", async () => {
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
    expect(run.told).toContainEqual(["get", "r1", { userId: "ada" }]);
    expect(run.told).toContainEqual(["storedEvents", "r1", { userId: "ada" }, "1.2"]);
    expect([response.ends, run.ends, entries]).toEqual([1, 1, []]);
  });

  it.each([
    ["goes on elsewhere", { status: "waiting", attempts: 2 }, undefined],
    ["still waits in the attempt that was answered", { status: "waiting", attempts: 1 }, 1],
    ["is queued", { status: "queued", attempts: 1 }, undefined],
    ["is over", { status: "completed", attempts: 1 }, undefined],
  ])("goes on while the run %s", async (_, view, attempts) => {
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
    const run = new GivenRun().give(attempt(2), wait);
    run.views = [{ status: "waiting", attempts: 2 }];
    const { done, sent } = answer(run, { own, continued: { waitIds: [], attempts: 1 } });
    await settle();
    await look();
    await done;

    expect(sent()).toEqual([...asked, ...paused]);
  });

  it("looks no more once the next event has come", async () => {
    const run = new GivenRun().give(attempt(1), wait);
    run.views = [{ status: "waiting", attempts: 1 }];
    const { done } = answer(run, { own });
    await settle();
    run.give(end);
    await done;
    await look();

    expect(pauses[0]?.options?.signal?.aborted).toBe(true);
    expect(pauses).toHaveLength(1);
    expect(run.told.slice(0, 4)).toEqual([["follow", run.run], "next", "next", "next"]);
    expect(run.told.some((each) => Array.isArray(each) && each[0] === "get")).toBe(false);
  });

  it("ends with the failure of a look", async () => {
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
    const run = new GivenRun().give(attempt(1), wait, new TroupeError("internal", "It broke."));
    run.views = [{ status: "running", attempts: 1 }];
    const { done, sent } = answer(run, { own, continued, early: true });
    await done;

    expect(sent()).toMatchObject([start, { type: "message-metadata" }, { type: "error" }, "[DONE]"]);
  });
});
