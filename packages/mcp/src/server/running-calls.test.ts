import { describe, expect, it } from "vitest";
import { RunningCalls } from "./running-calls.ts";

const cancelled = { code: "cancelled", message: "The client cancelled the call, or is gone." };

const reasonOf = ({ signal }: { signal: AbortSignal }) => signal.reason as unknown;

describe("a call that runs", () => {
  it("aborts with the first of its signals, which may be missing", () => {
    const calls = new RunningCalls();
    const [one, two] = [new AbortController(), new AbortController()];
    const call = calls.begin(undefined, [undefined, one.signal, two.signal]);
    expect(call.signal.aborted).toBe(false);
    two.abort(new Error("secret"));
    expect(reasonOf(call)).toMatchObject(cancelled);
    one.abort();
    expect(reasonOf(call)).toMatchObject(cancelled);
  });

  it("is aborted at once where one of its signals is", () => {
    const call = new RunningCalls().begin("a", [new AbortController().signal, AbortSignal.abort()]);
    expect(reasonOf(call)).toMatchObject(cancelled);
  });

  it("hears no signal after its end, and counts no more", () => {
    const calls = new RunningCalls();
    const source = new AbortController();
    const [one, two] = [calls.begin("a", [source.signal]), calls.begin(undefined, [source.signal])];
    expect(calls.size).toBe(2);
    one.end();
    one.end();
    expect(calls.size).toBe(1);
    source.abort();
    expect([one.signal.aborted, two.signal.aborted]).toEqual([false, true]);
    two.end();
    expect(calls.size).toBe(0);
  });
});

describe("the cancel of a call", () => {
  it("is by its name alone", () => {
    const calls = new RunningCalls();
    const [named, other, nameless] = [calls.begin("a", []), calls.begin("b", []), calls.begin(undefined, [])];
    calls.cancel("c");
    calls.cancel("undefined");
    calls.cancel("a");
    expect(reasonOf(named)).toMatchObject(cancelled);
    expect([other.signal.aborted, nameless.signal.aborted]).toEqual([false, false]);
  });

  it("finds no call that is over, and the newer one of two of a name", () => {
    const calls = new RunningCalls();
    const [over, older] = [calls.begin("a", []), calls.begin("b", [])];
    over.end();
    calls.cancel("a");
    expect(over.signal.aborted).toBe(false);
    const newer = calls.begin("b", []);
    older.end();
    calls.cancel("b");
    expect([older.signal.aborted, newer.signal.aborted]).toEqual([false, true]);
  });
});

describe("the wait for the end of all calls", () => {
  it("lasts until the last one is over, and aborts none", async () => {
    const calls = new RunningCalls();
    const [one, two] = [calls.begin("a", []), calls.begin("b", [])];
    const done: string[] = [];
    const waits = ["one", "two"].map(async (name) => await calls.untilIdle().then(() => done.push(name)));
    const late = calls.begin("c", []);
    late.end();
    one.end();
    one.end();
    await Promise.resolve();
    expect([done, one.signal.aborted, two.signal.aborted, calls.size]).toEqual([[], false, false, 1]);
    two.end();
    await Promise.all(waits);
    expect(done).toEqual(["one", "two"]);
  });

  it("is over at once where none runs", async () => {
    const calls = new RunningCalls();
    await calls.untilIdle();
    expect(calls.size).toBe(0);
  });
});
