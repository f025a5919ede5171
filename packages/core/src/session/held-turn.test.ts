import { describe, expect, it, vi } from "vitest";
import { HeldTurn } from "./held-turn.ts";

describe("HeldTurn", () => {
  it("leaves at once when nothing is being written", async () => {
    const leave = vi.fn<() => void>();
    const held = new HeldTurn(leave);
    await held.write(async () => 1);

    held.release();

    expect(leave).toHaveBeenCalledOnce();
  });

  it("goes on until a write that nobody waits for has settled", async () => {
    const leave = vi.fn<() => void>();
    const held = new HeldTurn(leave);
    const abort = new AbortController();
    const late = deferred<void>();
    const write = held.write(() => late.promise, abort.signal);

    abort.abort();
    await expect(write).rejects.toMatchObject({ code: "cancelled" });
    held.release();
    expect(leave).not.toHaveBeenCalled();
    late.reject(new Error("lost"));
    await vi.waitFor(() => expect(leave).toHaveBeenCalledOnce());
  });

  it("writes one thing after the other", async () => {
    const held = new HeldTurn(() => {});
    const first = deferred<string>();
    const second = vi.fn<() => Promise<string>>(async () => "second");
    const writes = [held.write(() => first.promise), held.write(second)];

    await Promise.resolve();
    expect(second).not.toHaveBeenCalled();
    first.resolve("first");

    expect(await Promise.all(writes)).toEqual(["first", "second"]);
  });

  it("begins no write for someone who has left or given up", async () => {
    const operation = vi.fn<() => Promise<void>>(async () => {});
    const held = new HeldTurn(() => {});

    await expect(held.write(operation, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
    held.release();
    await expect(held.write(operation)).rejects.toMatchObject({ code: "internal" });

    expect(operation).not.toHaveBeenCalled();
  });
});

function deferred<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
