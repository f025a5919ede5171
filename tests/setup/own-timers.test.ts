import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { promisify } from "node:util";
import { RunService } from "@troupe/core/runs";
import { afterEach, expect, it, vi } from "vitest";

/** The setup of the worker. */
const { ownTimers } = globalThis as unknown as {
  ownTimers: {
    file: string;
    intervalsOf: (file: string) => string[];
    runAs: <Result>(file: string, work: () => Result) => Result;
  };
};
const { file } = ownTimers;
const { setTimeout: real } = globalThis;
const earlier = "earlier.test.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Calls the function in code that an earlier file has left running. */
async function asEarlierFile<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const done = async () =>
    await new Promise<Result>((resolve, reject) => {
      real(() => void Promise.resolve().then(work).then(resolve, reject), 1);
    });
  return await ownTimers.runAs(earlier, done);
}

/** Serves connections: each sets a timer when it begins, and one when its client or both have ended it. */
async function serveTimers() {
  const timers: NodeJS.Timeout[] = [];
  const setTimer = () => void timers.push(setTimeout(() => undefined, 60_000));
  const server = createServer((socket) => {
    setTimer();
    socket.on("end", setTimer).on("close", setTimer).resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { server, timers };
}

/** Connects to a server, ends the connection and then the server. */
async function meet(server: Server): Promise<void> {
  const arrived = once(server, "connection") as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1")
    .resume()
    .end();
  const [socket] = await arrived;
  await Promise.all([once(socket, "close"), once(client, "close")]);
  server.close();
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

it("timers that a connection of an earlier file sets stay real ones, and are not counted", async () => {
  const { server, timers } = await ownTimers.runAs(earlier, serveTimers);
  vi.useFakeTimers();
  await meet(server);

  expect(timers).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
  for (const timer of timers) clearTimeout(timer);
});

it("timers that a connection of the file itself sets are the fakes", async () => {
  const { server, timers } = await serveTimers();
  vi.useFakeTimers();
  await meet(server);

  expect(timers).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(3);
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
    expect(ownTimers.intervalsOf(earlier)).toEqual([]);
    await service.close();
    expect(ownTimers.intervalsOf(file)).toEqual([]);
  }
});
