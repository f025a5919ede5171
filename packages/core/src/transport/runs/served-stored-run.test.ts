import { replaceSleep } from "@troupe-internal/interleavings";
import { expect, it, onTestFinished, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunEvent } from "../../runs/record/run-view.ts";
import { Followers } from "./followers.ts";
import { attempt, chunk, storedRun, wait } from "./test/served-stored-run.ts";

const end = { type: "end", output: null } as unknown as RunEvent;

it("ServedStoredRun gives the events behind the last one that the client has seen, one by one", async () => {
  const { run, asked } = storedRun([chunk, end]);
  expect(asked).not.toHaveBeenCalled();
  expect(run.follow("7")).toBe(run);
  expect(asked).toHaveBeenCalledExactlyOnceWith("r", "host", "7");
  expect([await run.next(), await run.next()]).toEqual([chunk, end]);
});

it("ServedStoredRun gives nothing more once its client has left, also one that waits, and lets its events go", async () => {
  const { run, returned } = storedRun([chunk]);
  await run.follow().next();
  const next = run.next();
  run.leave();
  expect(await next).toBeUndefined();
  expect(await run.next()).toBeUndefined();
  expect(await run.untilPaused()).toBeUndefined();
  expect(run.signal.aborted).toBe(true);
  expect(returned).toHaveBeenCalled();
});

it("ServedStoredRun is interrupted by a shutdown, which waits for its end", async () => {
  const followers = new Followers();
  const { run } = storedRun([], { followers });
  const next = run.follow().next();
  const closing = followers.endAll();
  const ended = vi.fn<() => void>();
  void closing.then(ended);
  await expect(next).rejects.toMatchObject({ code: "interrupted", fields: { runId: "r" } });
  expect(ended).not.toHaveBeenCalled();
  run.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toHaveBeenCalledOnce();
  const late = storedRun([], { followers });
  expect(() => late.run.follow()).toThrow(TroupeError);
  expect(late.asked).not.toHaveBeenCalled();
});

it("ServedStoredRun reads on until the run ends from its beginning, and gives its end", async () => {
  const { run, get, asked } = storedRun([attempt(1), chunk, end]);
  expect(await run.untilPaused()).toBe(end);
  expect(asked).toHaveBeenCalledExactlyOnceWith("r", "host", undefined);
  expect(get).not.toHaveBeenCalled();
});

it.each(["waiting", "completed", "error", "cancelled"])(
  "ServedStoredRun reads on until the run is %s behind a question",
  async (status) => {
    const view = { status, attempts: 1 };
    const { run, get } = storedRun([attempt(1), wait, end], { views: [{ status: "running", attempts: 1 }, view] });
    expect(await run.untilPaused()).toBe(view);
    expect(get).toHaveBeenCalledTimes(2);
  },
);

it("ServedStoredRun reads on where the run goes on with a later attempt, since its question was answered", async () => {
  const { run, get } = storedRun([attempt(1), wait, attempt(2), chunk, end], {
    views: [{ status: "running", attempts: 2 }],
  });
  expect(await run.untilPaused()).toBe(end);
  expect(get).toHaveBeenCalledOnce();
});

it("ServedStoredRun does not look any more once its client has left", async () => {
  onTestFinished(replaceSleep(async () => await new Promise(setImmediate)));
  const { run, get } = storedRun([attempt(1), wait], { views: [{ status: "queued", attempts: 1 }] });
  const paused = run.untilPaused();
  await vi.waitFor(() => expect(get).toHaveBeenCalled());
  run.leave();
  expect(await paused).toBeUndefined();
  const looks = get.mock.calls.length;
  for (let count = 0; count < 5; count++) await new Promise(setImmediate);
  expect(get.mock.calls.length).toBe(looks);
});

it("ServedStoredRun asks for the run as its client does, sooner at first and once a second at most", async () => {
  const sleeps: unknown[] = [];
  const restore = replaceSleep(async (ms) => {
    sleeps.push(ms);
    if (sleeps.length === 12) views.push({ status: "waiting", attempts: 1 });
  });
  onTestFinished(restore);
  const views = [{ status: "running", attempts: 1 }];
  const { run, get } = storedRun([attempt(1), wait], {});
  get.mockImplementation(async () => views.at(-1) ?? {});

  expect(await run.untilPaused()).toEqual({ status: "waiting", attempts: 1 });
  expect(sleeps).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000]);
  expect(new Set(get.mock.calls.map((asked) => JSON.stringify(asked)))).toEqual(new Set(['["r","host"]']));
});

it("ServedStoredRun takes the status of a run for that of its attempt, whatever came between", async () => {
  const view = { status: "waiting", attempts: 3 };
  const { run, get } = storedRun([attempt(3), chunk, chunk, wait, end], {
    views: [{ status: "queued", attempts: 3 }, view],
  });
  expect(await run.untilPaused()).toBe(view);
  expect(get).toHaveBeenCalledTimes(2);
});

it("ServedStoredRun lets its events go at its end, also when its client has not left", async () => {
  const { run, returned } = storedRun([chunk]);
  await run.follow().next();
  expect(returned).not.toHaveBeenCalled();
  run.end();
  expect(returned).toHaveBeenCalledOnce();
  expect(run.signal.aborted).toBe(false);
});

it("ServedStoredRun keeps no process alive between two looks, and gives up the pause when its client leaves", async () => {
  const pauses: unknown[] = [];
  const began = Promise.withResolvers<void>();
  const restore = replaceSleep(async (_ms, options) => {
    pauses.push(options);
    began.resolve();
    await new Promise<void>((_resolve, reject) => {
      options?.signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    });
  });
  onTestFinished(restore);
  const { run, get } = storedRun([attempt(1), wait], { views: [{ status: "running", attempts: 1 }] });
  const paused = run.untilPaused();
  await began.promise;
  run.leave();

  expect(await paused).toBeUndefined();
  expect(pauses).toEqual([{ ref: false, signal: run.signal }]);
  expect(get).toHaveBeenCalledOnce();
});

it("ServedStoredRun reads on behind an event that it was told to follow, until the run ends", async () => {
  const { run, asked } = storedRun([chunk, end]);
  expect(await run.follow("3").untilPaused()).toBe(end);
  expect(asked).toHaveBeenCalledExactlyOnceWith("r", "host", "3");
});
