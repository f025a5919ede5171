import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { startDeadline } from "./start-deadline.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
});

it("startDeadline aborts after its time, not before, with a timeout of its message", () => {
  const { signal } = startDeadline(100, "Too slow.");
  vi.advanceTimersByTime(99);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ code: "timeout", message: "Too slow." });
});

it("startDeadline aborts with the reason of the outer signal, before or after it began, and keeps that reason", () => {
  const outer = new AbortController();
  const { signal } = startDeadline(100, "Too slow.", outer.signal);
  outer.abort("gone");
  expect(signal.reason).toBe("gone");
  vi.advanceTimersByTime(100);
  expect(signal.reason).toBe("gone");
  expect(startDeadline(100, "Too slow.", outer.signal).signal.reason).toBe("gone");
});

it("startDeadline leaves neither timer nor listener at its end, and aborts what still runs", () => {
  const outer = new AbortController();
  const added = vi.spyOn(outer.signal, "addEventListener");
  const removed = vi.spyOn(outer.signal, "removeEventListener");
  const deadline = startDeadline(100, "Too slow.", outer.signal);
  const { signal } = deadline;
  deadline.end();
  deadline.end();
  expect(vi.getTimerCount()).toBe(0);
  expect(removed.mock.calls[0]?.slice(0, 2)).toEqual(added.mock.calls[0]?.slice(0, 2));
  expect(signal.aborted).toBe(true);
  outer.abort("gone");
  expect(signal.reason).not.toBe("gone");
});
