import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import { FakeResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "../../test/exchange-of.ts";
import { ByteSemaphore } from "./byte-semaphore.ts";

/** A request that acquires bytes until its response ends. */
function ask(semaphore: ByteSemaphore, bytes: number, runEnd?: Promise<void>) {
  const response = new FakeResponse();
  const exchange = exchangeOf(response).exchange;
  if (runEnd !== undefined) exchange.record.run = Promise.resolve({ over: runEnd });
  const entered: string[] = [];
  void semaphore.acquire(bytes, exchange).then(() => entered.push("in"));
  return { entered, close: () => response.leave() };
}

describe("ByteSemaphore", () => {
  it("admits requests while bytes are free, and the next one when a response ends", async () => {
    const semaphore = new ByteSemaphore(10);
    const [first, second, third] = [ask(semaphore, 6), ask(semaphore, 4), ask(semaphore, 5)];
    await setImmediate();
    expect([first, second, third].map(({ entered }) => entered)).toEqual([["in"], ["in"], []]);

    second.close();
    await setImmediate();
    expect(third.entered).toEqual([]);
    first.close();
    await setImmediate();
    expect(third.entered).toEqual(["in"]);
  });

  it("admits waiters in the order of their arrival", async () => {
    const semaphore = new ByteSemaphore(10);
    const [first, large, small] = [ask(semaphore, 6), ask(semaphore, 10), ask(semaphore, 1)];
    await setImmediate();
    expect(small.entered).toEqual([]);

    first.close();
    large.close();
    await setImmediate();
    expect(small.entered).toEqual(["in"]);
  });

  it("admits the waiters behind one whose response ends before it was admitted", async () => {
    const semaphore = new ByteSemaphore(10);
    const [first, large, ...behind] = [6, 5, 3, 1, 1].map((bytes) => ask(semaphore, bytes));
    const entered = async (): Promise<number[]> => {
      await setImmediate();
      return behind.map((each) => each.entered.length);
    };
    expect(await entered()).toEqual([0, 0, 0]);

    large?.close();
    expect(await entered()).toEqual([1, 1, 0]);
    first?.close();
    expect(await entered()).toEqual([1, 1, 1]);
  });

  it("admits as many waiters at one end as their bytes fit", async () => {
    const semaphore = new ByteSemaphore(10);
    const first = ask(semaphore, 10);
    const waiting = [3, 3, 4, 1].map((bytes) => ask(semaphore, bytes));
    first.close();
    await setImmediate();

    expect(waiting.map(({ entered }) => entered.length)).toEqual([1, 1, 1, 0]);
  });

  it("takes nothing for a request whose response has ended before", async () => {
    const semaphore = new ByteSemaphore(10);
    const response = new FakeResponse();
    response.leave();
    await semaphore.acquire(10, exchangeOf(response).exchange);
    const next = ask(semaphore, 10);
    await setImmediate();

    expect(next.entered).toEqual(["in"]);
  });

  it("releases all that one request has acquired in parts", async () => {
    const semaphore = new ByteSemaphore(10);
    const response = new FakeResponse();
    const exchange = exchangeOf(response).exchange;
    await semaphore.acquire(4, exchange);
    await semaphore.acquire(6, exchange);
    const [next, last] = [ask(semaphore, 10), ask(semaphore, 1)];
    await setImmediate();
    expect([next.entered, last.entered]).toEqual([[], []]);

    response.leave();
    await setImmediate();
    expect([next.entered, last.entered]).toEqual([["in"], []]);
  });

  it("releases a waiter whose response ends, without freeing bytes that it never had", async () => {
    const semaphore = new ByteSemaphore(10);
    const [first, leaving] = [ask(semaphore, 10), ask(semaphore, 10)];
    leaving.close();
    await setImmediate();
    expect(leaving.entered).toEqual(["in"]);

    const [next, last] = [ask(semaphore, 10), ask(semaphore, 10)];
    first.close();
    await setImmediate();
    expect([next.entered, last.entered]).toEqual([["in"], []]);
  });

  it("gives the bytes of a run that goes on back once, at its end", async () => {
    const semaphore = new ByteSemaphore(10);
    const run = Promise.withResolvers<void>();
    const first = ask(semaphore, 10, run.promise);
    const waiting = Array.from({ length: 3 }, () => ask(semaphore, 10));
    const entered = async () => {
      await setImmediate();
      return waiting.filter((each) => each.entered.length > 0).length;
    };

    first.close();
    expect(await entered()).toBe(0);
    run.resolve();
    expect(await entered()).toBe(1);
    waiting[0]?.close();
    expect(await entered()).toBe(2);
  });

  it("gives nothing back of a waiter whose response ends and whose run goes on", async () => {
    const semaphore = new ByteSemaphore(10);
    const first = ask(semaphore, 10);
    ask(semaphore, 10, Promise.resolve()).close();
    await setImmediate();
    const [next, last] = [ask(semaphore, 10), ask(semaphore, 10)];
    await setImmediate();
    expect([next.entered, last.entered]).toEqual([[], []]);

    first.close();
    await setImmediate();
    expect([next.entered, last.entered]).toEqual([["in"], []]);
  });
});
