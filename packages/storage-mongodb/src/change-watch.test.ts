import { MongoFailures } from "@troupe-internal/mongodb";
import type { Logger } from "@troupe/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ChangeWatch } from "./change-watch.ts";

/** The answers of a cursor, in order. After them, a cursor waits until it is closed. */
type Answers = readonly (object | null | Error)[];

function cursorOf(answers: Answers, signal: AbortSignal) {
  const left = [...answers];
  const tryNext = async (): Promise<object | null> => {
    const answer = left.shift();
    if (answer instanceof Error) throw answer;
    if (answer !== undefined) return answer;
    return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("closed"))));
  };
  return { closed: false, tryNext, close: async () => await Promise.resolve() };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const lost = new Error("timed out");

it.each<[cursors: readonly Answers[], warnings: number]>([
  [[[null, null]], 0],
  [[[lost], [lost], [null, lost], [null]], 1],
  [[[null, null, lost], [null, null, lost], [null, {}, lost], [null]], 3],
  [[[lost], [null, null, lost], [lost], [null, lost], [null, null, lost], [null]], 3],
])("a stream with the answers %j warns of each loss, once until it delivers again", async (cursors, warnings) => {
  const warn = vi.fn<Logger["warn"]>();
  const left = [...cursors];
  const open = (signal: AbortSignal) => cursorOf(left.shift() ?? [], signal);
  const failures = new MongoFailures("mongodb://host");
  const watch = new ChangeWatch({ open, onChange: () => undefined, failures, logger: { warn } as unknown as Logger });
  await vi.advanceTimersByTimeAsync(60_000);
  await watch.close();

  expect(left).toEqual([]);
  expect(warn).toHaveBeenCalledTimes(warnings);
});
