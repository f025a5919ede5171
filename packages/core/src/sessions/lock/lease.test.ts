import { describe, expect, it, vi } from "vitest";
import { Lease } from "./lease.ts";

function createLease() {
  const giveBack = vi.fn<() => void>();
  return { giveBack, lease: new Lease({ hadToWait: false, forgetsQueue: false, leave: giveBack }) };
}

describe("Lease", () => {
  it("is given back at once when no write is under way", async () => {
    const { lease, giveBack } = createLease();
    await lease.write(async () => 1);

    lease.release();

    expect(giveBack).toHaveBeenCalledOnce();
  });

  it("is kept until a write that its caller no longer waits for has settled", async () => {
    const { lease, giveBack } = createLease();
    const abort = new AbortController();
    const late = Promise.withResolvers<void>();
    const write = lease.write(() => late.promise, abort.signal);

    abort.abort();
    await expect(write).rejects.toMatchObject({ code: "cancelled" });
    lease.release();
    expect(giveBack).not.toHaveBeenCalled();
    late.reject(new Error("lost"));
    await vi.waitFor(() => expect(giveBack).toHaveBeenCalledOnce());
  });

  it("runs one write after the other", async () => {
    const { lease } = createLease();
    const first = Promise.withResolvers<string>();
    const second = vi.fn<() => Promise<string>>(async () => "second");
    const writes = [lease.write(() => first.promise), lease.write(second)];

    await Promise.resolve();
    expect(second).not.toHaveBeenCalled();
    first.resolve("first");

    expect(await Promise.all(writes)).toEqual(["first", "second"]);
  });

  it("starts no write after an abort or a release", async () => {
    const operation = vi.fn<() => Promise<void>>(async () => {});
    const { lease } = createLease();

    await expect(lease.write(operation, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
    lease.release();
    await expect(lease.write(operation)).rejects.toMatchObject({ code: "internal" });

    expect(operation).not.toHaveBeenCalled();
  });

  it("Lease without other processes always holds, and puts no condition on appends", async () => {
    const { lease } = createLease();

    await expect(lease.confirm()).resolves.toBeUndefined();
    expect(lease.appendOptions).toEqual({});
  });
});
