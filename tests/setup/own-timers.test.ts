import { promisify } from "node:util";
import { RunService } from "@troupe/core/runs";
import { afterEach, expect, it, vi } from "vitest";

/** The setup of the worker, as far as it is changed here to be that of a later file. */
const { ownTimers } = globalThis as unknown as { ownTimers: { file: string; intervalsOf: (file: string) => string[] } };
const { file } = ownTimers;
const { setTimeout: real } = globalThis;

afterEach(() => {
  vi.useRealTimers();
  ownTimers.file = file;
});

/** Calls the function in code that an earlier file has left running. */
async function asEarlierFile<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  ownTimers.file = "earlier.test.ts";
  const done = new Promise<Result>((resolve, reject) => {
    real(() => void Promise.resolve().then(work).then(resolve, reject), 1);
  });
  ownTimers.file = file;
  return await done;
}

it("timers of what an earlier file has left running stay real ones, and are not counted", async () => {
  vi.useFakeTimers();
  let end = () => {};
  const fired = new Promise<void>((resolve) => (end = resolve));
  await asEarlierFile(async () => {
    setTimeout(end, 1);
    const interval = setInterval(() => undefined, 1000);
    setImmediate(() => undefined);
    await Promise.resolve();
    const timeout = setTimeout(() => undefined, 1000);

    expect(vi.getTimerCount()).toBe(0);
    clearInterval(interval);
    clearTimeout(timeout);
  });
  await fired;
});

it("timers of the file itself are the fakes", async () => {
  vi.useFakeTimers();
  const rings: string[] = [];
  setTimeout((word: string) => rings.push(word), 1000, "one");
  const second = setTimeout(() => rings.push("two"), 1000);
  await Promise.resolve();
  setTimeout(() => rings.push("three"), 2000);
  clearTimeout(second);

  expect(vi.getTimerCount()).toBe(2);
  await vi.advanceTimersByTimeAsync(2000);
  expect(rings).toEqual(["one", "three"]);
});

it("faking them twice, and some of them alone, leaves the real ones as they were", () => {
  const { setInterval: every } = globalThis;
  vi.useFakeTimers();
  vi.useFakeTimers({ toFake: ["setTimeout"] });

  expect(globalThis.setInterval).toBe(every);
  expect(globalThis.setTimeout).not.toBe(real);
  vi.useRealTimers();
  expect(globalThis.setTimeout).toBe(real);
});

it("a real timer keeps its arguments, and its form for promisify", async () => {
  const word = await new Promise<string>((resolve) => setTimeout(resolve, 1, "word"));

  expect(word).toBe("word");
  expect(await promisify(setTimeout)(1, "later")).toBe("later");
  expect(() => setTimeout(undefined as unknown as () => void)).toThrow(TypeError);
});

it("a service that was not closed is named by the lines that have set its intervals, in each round", async () => {
  for (let round = 0; round < 2; round++) {
    const service = new RunService({});
    await service.serve();
    expect(ownTimers.intervalsOf(file)).toContainEqual(
      expect.stringMatching(/^packages\/core\/src\/runs\/.*\.ts:\d+$/),
    );
    expect(ownTimers.intervalsOf("earlier.test.ts")).toEqual([]);
    await service.close();
    expect(ownTimers.intervalsOf(file)).toEqual([]);
  }
});
