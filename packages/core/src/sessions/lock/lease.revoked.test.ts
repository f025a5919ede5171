import { describe, expect, it, vi } from "vitest";
import { failureOf } from "../../testing/conformance/assert.ts";
import { Lease } from "./lease.ts";

const overtaken = { code: "conflict", message: "A later attempt at the run has taken the session over." };

function createLease({ hadToWait = false } = {}) {
  const holder = { hadToWait, forgetsQueue: false, leave: vi.fn<() => void>() };
  const confirm = vi.fn<() => Promise<void>>(async () => undefined);
  const appendOptions = { ifHeld: { key: "-/-/s", token: 7 } };
  return { holder, confirm, appendOptions, lease: new Lease(holder, { appendOptions, confirm }) };
}

describe("a lease that other processes may take over", () => {
  it("has the condition of its fence, asks it for each confirmation, and tells if its holder had to wait", async () => {
    const { lease, confirm, appendOptions } = createLease({ hadToWait: true });
    expect([lease.appendOptions, lease.hadToWait]).toEqual([appendOptions, true]);
    await lease.confirm();
    await lease.confirm();
    expect(confirm).toHaveBeenCalledTimes(2);
    confirm.mockRejectedValueOnce(new Error("lost"));
    await expect(lease.confirm()).rejects.toThrow("lost");
    expect(createLease().lease.hadToWait).toBe(false);
  });

  it("has its stored queue deleted once its session is", () => {
    const { lease, holder } = createLease();
    expect(holder.forgetsQueue).toBe(false);
    lease.forget();
    expect(holder.forgetsQueue).toBe(true);
    expect(holder.leave).not.toHaveBeenCalled();
  });
});

describe("a lease that a later attempt takes", () => {
  it("writes and confirms nothing more, and is given back", async () => {
    const { lease, holder, confirm } = createLease();
    const write = vi.fn<() => Promise<void>>(async () => undefined);
    lease.revoke();
    expect(holder.leave).toHaveBeenCalledOnce();
    await expect(lease.confirm()).rejects.toMatchObject(overtaken);
    await expect(lease.write(write)).rejects.toMatchObject(overtaken);
    expect(write).not.toHaveBeenCalled();
    expect(confirm).not.toHaveBeenCalled();
  });

  it("is given back once its last write has settled, and writes that waited behind it are refused", async () => {
    const { lease, holder } = createLease();
    const { promise, resolve } = Promise.withResolvers<string>();
    const [first, second] = [lease.write(() => promise), lease.write(async () => "late")];
    const refused = failureOf(second);
    lease.revoke();
    expect(holder.leave).not.toHaveBeenCalled();
    resolve("stored");
    expect(await first).toBe("stored");
    expect(await refused).toMatchObject(overtaken);
    expect(holder.leave).toHaveBeenCalledOnce();
  });
});

describe("a write under a lease", () => {
  it("a write under a lease that fails is told to its caller, and the next one is done", async () => {
    const { lease, holder } = createLease();
    await expect(lease.write(async () => await Promise.reject(new Error("full")))).rejects.toThrow("full");
    expect(await lease.write(async () => 1)).toBe(1);
    expect(holder.leave).not.toHaveBeenCalled();
  });

  it("does not begin behind another one once its caller has left, with the reason", async () => {
    const { lease } = createLease();
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = lease.write(() => promise);
    const abort = new AbortController();
    const late = vi.fn<() => Promise<void>>(async () => undefined);
    const second = failureOf(lease.write(late, abort.signal));
    abort.abort();
    expect(await second).toMatchObject({ code: "cancelled" });
    resolve();
    await first;
    expect(late).not.toHaveBeenCalled();
  });

  it("is refused after the release in words that say what to do", async () => {
    const { lease, holder } = createLease();
    lease.release();
    lease.release();
    await expect(lease.write(async () => 1)).rejects.toMatchObject({
      code: "internal",
      message: "This session was released: open it again to write.",
    });
    expect(holder.leave).toHaveBeenCalledTimes(2);
  });
});
