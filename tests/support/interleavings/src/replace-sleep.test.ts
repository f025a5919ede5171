import { AsyncResource } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { replaceSleep } from "./replace-sleep.ts";

it("replaceSleep replaces the pauses of the test, with their options, and leaves those of what began before real", async () => {
  const other = new AsyncResource("other");
  const replaced: unknown[] = [];
  const restore = replaceSleep(async (...args) => await Promise.resolve(void replaced.push(args)));
  const { signal } = new AbortController();

  expect(await sleep(60_000, "mine", { ref: false, signal })).toBe("mine");
  expect(await other.runInAsyncScope(async () => await sleep(0, "another's"))).toBe("another's");
  expect(replaced).toEqual([[60_000, { ref: false, signal }]]);

  restore();
  expect(await sleep(0, "real")).toBe("real");
  expect(replaced).toHaveLength(1);
});
