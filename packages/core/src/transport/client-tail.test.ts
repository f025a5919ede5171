import { expect, it, vi } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { RunEvent } from "../runs/run-store/run-view.ts";
import { ClientTail } from "./client-tail.ts";
import { OpenTails } from "./open-tails.ts";

/** A service whose run has these events, and then none until its reader leaves. */
function follow(
  events: readonly object[],
  { views = [] as readonly object[], openTails = undefined as OpenTails | undefined } = {},
) {
  const left = [...events];
  const gone = Promise.withResolvers<{ done: true; value: undefined }>();
  const returned = vi.fn<() => void>();
  const iterator = {
    next: async () => (left.length > 0 ? { done: false, value: left.shift() } : await gone.promise),
    return: async () => {
      returned();
      gone.resolve({ done: true, value: undefined });
      return { done: true as const, value: undefined };
    },
  };
  const seen = [...views];
  const get = vi.fn<() => Promise<object>>(async () => (seen.length > 1 ? seen.shift() : seen[0]) ?? {});
  const asked = vi.fn<(...args: unknown[]) => unknown>(() => iterator);
  const run = { service: { events: asked, get }, runId: "r", kind: "agent", caller: "host", after: "7" } as never;
  return { tail: new ClientTail(run, openTails), returned, get, asked };
}

const chunk = { type: "chunk", chunk: { type: "text", text: "é" } };
const end = { type: "end", output: null } as unknown as RunEvent;
const attempt = (number: number) => ({ type: "attempt", attempt: number, node: "n" });
const wait = { type: "wait", wait: { id: "t.0" } };

it("gives the events behind the last one that the client has seen, one by one", async () => {
  const { tail, asked } = follow([chunk, end]);
  expect(asked).toHaveBeenCalledExactlyOnceWith("r", "host", "7");
  expect([await tail.next(), await tail.next()]).toEqual([chunk, end]);
});

it("gives nothing more once its client has left, also one that waits, and lets its events go", async () => {
  const { tail, returned } = follow([chunk]);
  await tail.next();
  const next = tail.next();
  tail.leave();
  expect(await next).toBeUndefined();
  expect(await tail.next()).toBeUndefined();
  expect(await tail.untilPaused()).toBeUndefined();
  expect(tail.signal.aborted).toBe(true);
  expect(returned).toHaveBeenCalled();
});

it("is interrupted by a shutdown, which waits for its end", async () => {
  const openTails = new OpenTails();
  const { tail } = follow([], { openTails });
  const next = tail.next();
  const closing = openTails.endAll();
  const ended = vi.fn<() => void>();
  void closing.then(ended);
  await expect(next).rejects.toMatchObject({ code: "interrupted", fields: { runId: "r" } });
  expect(ended).not.toHaveBeenCalled();
  tail.end();
  await closing;
  expect(() => follow([], { openTails })).toThrow(TroupeError);
});

it("reads on until the run ends, and gives its end", async () => {
  const { tail, get } = follow([attempt(1), chunk, end]);
  expect(await tail.untilPaused()).toBe(end);
  expect(get).not.toHaveBeenCalled();
});

it.each(["waiting", "completed", "error", "cancelled"])(
  "reads on until the run is %s behind a question",
  async (status) => {
    const view = { status, attempts: 1 };
    const { tail, get } = follow([attempt(1), wait, end], { views: [{ status: "running", attempts: 1 }, view] });
    expect(await tail.untilPaused()).toBe(view);
    expect(get).toHaveBeenCalledTimes(2);
  },
);

it("reads on where the run goes on with a later attempt, since its question was answered", async () => {
  const { tail, get } = follow([attempt(1), wait, attempt(2), chunk, end], {
    views: [{ status: "running", attempts: 2 }],
  });
  expect(await tail.untilPaused()).toBe(end);
  expect(get).toHaveBeenCalledOnce();
});

it("does not look any more once its client has left", async () => {
  const { tail, get } = follow([attempt(1), wait], { views: [{ status: "queued", attempts: 1 }] });
  const paused = tail.untilPaused();
  await vi.waitFor(() => expect(get).toHaveBeenCalled());
  tail.leave();
  expect(await paused).toBeUndefined();
  const looks = get.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(get.mock.calls.length).toBe(looks);
});
