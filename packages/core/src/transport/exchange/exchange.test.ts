import { setImmediate } from "node:timers/promises";
import { FakeResponse } from "@troupe-internal/fake-responses";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import type { Exchange } from "./exchange.ts";
import { exchangeOf } from "./test/exchange-of.ts";
import { WebExchange } from "./web-exchange.ts";

/** An exchange, and the disconnection of its client. */
type Made = { exchange: Exchange; leave: () => void };

const servers: [name: string, make: () => Made][] = [
  [
    "a Node server",
    () => {
      const response = new FakeResponse();
      return { exchange: exchangeOf(response).exchange, leave: () => void response.destroy() };
    },
  ],
  [
    "a server of web requests",
    () => {
      const left = new AbortController();
      const request = new Request("http://own.example/", { signal: left.signal });
      return { exchange: new WebExchange(request, createLogger()), leave: () => left.abort() };
    },
  ],
];

/** The ways in which an exchange ends. */
const ends: [what: string, end: (made: Made) => void][] = [
  ["the client has left", ({ leave }) => leave()],
  ["the answer is finished", ({ exchange }) => exchange.sendEmpty()],
];

describe.each(servers)("the signal of an exchange on %s", (_name, make) => {
  it.each(ends)("aborts if it is first read once %s, and later reads have the same signal", async (_what, end) => {
    const made = make();
    end(made);
    await setImmediate();
    const { signal } = made.exchange;

    expect([made.exchange.isClosed, signal.aborted]).toEqual([true, true]);
    expect(made.exchange.signal).toBe(signal);
  });

  it.each(ends)("aborts if it was read before %s", async (_what, end) => {
    const made = make();
    const { signal } = made.exchange;
    expect([made.exchange.isClosed, signal.aborted]).toEqual([false, false]);
    end(made);
    await setImmediate();

    expect([made.exchange.isClosed, signal.aborted]).toEqual([true, true]);
    expect(made.exchange.signal).toBe(signal);
  });
});

describe.each(servers)("untilRunEnds of an exchange on %s", (_name, make) => {
  it("resolves at once without a run, and for a run that could not begin", async () => {
    const { exchange } = make();
    await expect(exchange.untilRunEnds()).resolves.toBeUndefined();
    exchange.record.run = Promise.reject(new Error("Too many runs."));

    await expect(exchange.untilRunEnds()).resolves.toBeUndefined();
  });

  it("resolves once a run without an end of its own has begun, and at the end of one that goes on", async () => {
    const { exchange } = make();
    exchange.record.run = Promise.resolve({});
    await expect(exchange.untilRunEnds()).resolves.toBeUndefined();
    const begun = Promise.withResolvers<{ over: Promise<void> }>();
    const over = Promise.withResolvers<void>();
    exchange.record.run = begun.promise;
    let isOver = false;
    void exchange.untilRunEnds().then(() => (isOver = true));
    begun.resolve({ over: over.promise });
    await setImmediate();
    expect(isOver).toBe(false);
    over.resolve();
    await setImmediate();

    expect(isOver).toBe(true);
  });
});
