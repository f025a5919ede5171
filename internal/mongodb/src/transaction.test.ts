import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ClientSession } from "mongodb";
import { ConcurrentWriteError, isConflict, isDuplicate, repeatWhile, runInTransaction } from "./transaction.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const transient = new Error("transient");
const repetition = { isTransient: (error: unknown) => error === transient, timeoutMs: 1000 };

describe("repeatWhile", () => {
  it("repeats the work until it succeeds", async () => {
    let tries = 0;
    const done = repeatWhile(async () => {
      tries += 1;
      if (tries < 4) throw transient;
      return tries;
    }, repetition);
    await vi.runAllTimersAsync();

    expect(await done).toBe(4);
  });

  it("does not repeat work that failed for good", async () => {
    const work = vi.fn<() => Promise<void>>().mockRejectedValue(new Error("broken"));

    await expect(repeatWhile(work, repetition)).rejects.toThrow("broken");
    expect(work).toHaveBeenCalledOnce();
  });

  it("gives up after its timeout, with pauses between the tries", async () => {
    const work = vi.fn<() => Promise<void>>().mockRejectedValue(transient);
    const failed = repeatWhile(work, repetition).catch((error: unknown) => error);
    await vi.runAllTimersAsync();

    expect(await failed).toBe(transient);
    expect(work.mock.calls.length).toBeGreaterThan(5);
    expect(work.mock.calls.length).toBeLessThan(200);
  });
});

describe("the pauses of repeatWhile", () => {
  it("the pauses of repeatWhile double from 1 ms to 100 ms, and no try follows one after the timeout", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    onTestFinished(() => void vi.restoreAllMocks());
    const begunAt = performance.now();
    const triedAt: number[] = [];
    const work = async (): Promise<never> => {
      triedAt.push(performance.now() - begunAt);
      throw await Promise.resolve(transient);
    };
    const failed = repeatWhile(work, { ...repetition, timeoutMs: 327 }).catch((error: unknown) => error);
    await vi.runAllTimersAsync();

    expect(await failed).toBe(transient);
    expect(triedAt).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 227, 327, 427]);
  });
});

describe("runInTransaction", () => {
  /** A session that notes its calls; commits answer as given, one after the other. */
  function sessionOf(...commits: (Error | undefined)[]) {
    const calls: unknown[] = [];
    const aborted = Promise.withResolvers<void>();
    let isOpen = false;
    const session = {
      startTransaction: (options: unknown) => {
        isOpen = true;
        calls.push(["start", options]);
      },
      commitTransaction: async () => {
        calls.push("commit");
        // As the driver does: a transaction is over with its first commit.
        isOpen = false;
        const error = commits.shift();
        if (error !== undefined) throw await Promise.resolve(error);
      },
      abortTransaction: async () => {
        isOpen = false;
        calls.push("abort");
        await aborted.promise;
      },
      inTransaction: () => isOpen,
    };
    return { session: session as unknown as ClientSession, calls, aborted };
  }

  const labelled = (...errorLabels: string[]) => Object.assign(new Error("labelled"), { errorLabels });
  const unknownCommit = labelled("UnknownTransactionCommitResult");
  const snapshot = {
    readConcern: { level: "snapshot" },
    writeConcern: { w: "majority", journal: true },
    readPreference: "primary",
  };

  it("does the work once in a snapshot, and repeats a commit whose outcome is unknown", async () => {
    const { session, calls } = sessionOf(unknownCommit, unknownCommit);
    const done = runInTransaction({ session, timeoutMs: 1000 }, async () => {
      calls.push("work");
      return await Promise.resolve("result");
    });
    await vi.runAllTimersAsync();
    expect(await done).toBe("result");
    expect(calls).toEqual([["start", snapshot], "work", "commit", "commit", "commit"]);
  });

  it("aborts the transaction of work that failed, and then throws its error", async () => {
    const { session, calls, aborted } = sessionOf();
    const thrown = vi.fn<(error: unknown) => void>();
    const work = async () => await Promise.reject(new Error("broken"));
    const over = runInTransaction({ session, timeoutMs: 1000 }, work).catch(thrown);
    await vi.advanceTimersByTimeAsync(0);
    expect(calls).toEqual([["start", snapshot], "abort"]);
    expect(thrown).not.toHaveBeenCalled();
    aborted.resolve();
    await over;
    expect(thrown).toHaveBeenCalledWith(new Error("broken"));
  });

  it.each([labelled("TransientTransactionError"), new Error("refused")])(
    "repeats no commit that failed by %j, and aborts nothing after it",
    async (error) => {
      const { session, calls } = sessionOf(error);
      await expect(runInTransaction({ session, timeoutMs: 1000 }, async () => {})).rejects.toBe(error);
      expect(calls).toEqual([["start", snapshot], "commit"]);
    },
  );

  it("gives up a commit whose outcome stays unknown when its time is over", async () => {
    const { session, calls } = sessionOf(...Array.from({ length: 1000 }, () => unknownCommit));
    const failed = runInTransaction({ session, timeoutMs: 1000 }, async () => {}).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1100);
    expect(await failed).toBe(unknownCommit);
    expect(calls).not.toContain("abort");
  });
});

describe("an error of a write", () => {
  it.each<[what: string, error: unknown, conflict: boolean, duplicate: boolean]>([
    ["a document that was changed meanwhile", new ConcurrentWriteError("changed"), true, false],
    ["a document that is there", { code: 11_000 }, true, true],
    ["a write conflict", { code: 112 }, true, false],
    ["a transient error", { errorLabels: ["Other", "TransientTransactionError"] }, true, false],
    ["an unknown commit", { errorLabels: ["UnknownTransactionCommitResult"] }, false, false],
    ["another code", { code: 113, errorLabels: [] }, false, false],
    ["a code as a string", { code: "112" }, false, false],
    ["a bare error", new Error("broken"), false, false],
  ])("by %s is judged by its code and labels", (...row) => {
    const [, error, conflict, duplicate] = row;
    expect([isConflict(error), isDuplicate(error)]).toEqual([conflict, duplicate]);
  });
});
