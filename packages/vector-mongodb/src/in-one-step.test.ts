import { setImmediate as turn } from "node:timers/promises";
import { ConcurrentWriteError, isDuplicate } from "@troupe-internal/mongodb";
import type { ClientSession } from "mongodb";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { inOneStep, repeatOnConflict } from "./in-one-step.ts";
import type { OpenVectors } from "./open-vectors.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const random = vi.spyOn(Math, "random").mockReturnValue(1);
  onTestFinished(() => random.mockRestore());
});
afterEach(() => void vi.useRealTimers());

const labelled = (label: string) => Object.assign(new Error(label), { errorLabels: ["Other", label] });
const coded = (code: number) => Object.assign(new Error(String(code)), { code });
const snapshot = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority", journal: true },
  readPreference: "primary",
};

/** Settles while all pauses of the fake clock pass. */
async function settle(work: Promise<unknown>): Promise<unknown> {
  const state = { isSettled: false };
  const outcome = work.catch((error: unknown) => error).finally(() => (state.isSettled = true));
  while (!state.isSettled) {
    await turn();
    await vi.runAllTimersAsync();
  }
  return await outcome;
}

/** Does work in one step over a session that keeps its calls, and whose commits fail with these errors. */
async function run(
  work: () => Promise<unknown>,
  { isStandalone = false, commits = [] as unknown[], timeoutMs = 50 } = {},
) {
  const calls: unknown[] = [];
  let isOpen = false;
  const session = {
    startTransaction: (options: unknown) => {
      isOpen = true;
      calls.push(options);
    },
    commitTransaction: async () => {
      calls.push("commit");
      const error = commits.shift();
      if (error !== undefined) throw error;
      isOpen = false;
      await Promise.resolve();
    },
    abortTransaction: async () => {
      isOpen = false;
      calls.push("abort");
      await Promise.resolve();
    },
    inTransaction: () => isOpen,
    endSession: async () => void calls.push(await Promise.resolve("end")),
  } as unknown as ClientSession;
  const startSession = vi.fn<() => ClientSession>().mockReturnValue(session);
  const vectors = { isStandalone, timeoutMs, startSession } as unknown as OpenVectors;
  const given: unknown[] = [];
  const outcome = await settle(
    inOneStep(vectors, async (inSession) => {
      given.push(inSession.session);
      calls.push("work");
      return await work();
    }),
  );
  expect(given.every((each) => each === session)).toBe(true);
  expect(startSession.mock.calls).toEqual([[]]);
  return { outcome, calls };
}

/** Work that fails with these errors, one after the other, and then succeeds. */
function failing(...errors: unknown[]): () => Promise<string> {
  return async () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return await Promise.resolve("done");
  };
}

describe("inOneStep", () => {
  it("commits a snapshot transaction, and ends its session", async () => {
    expect(await run(failing())).toEqual({ outcome: "done", calls: [snapshot, "work", "commit", "end"] });
  });

  it("needs no transaction on a standalone server", async () => {
    expect(await run(failing(), { isStandalone: true })).toEqual({ outcome: "done", calls: ["work", "end"] });
    expect(await run(failing(new ConcurrentWriteError()), { isStandalone: true })).toEqual({
      outcome: "done",
      calls: ["work", "work", "end"],
    });
  });

  it.each<[string, unknown]>([
    ["a concurrent write", new ConcurrentWriteError()],
    ["a transient transaction error", labelled("TransientTransactionError")],
    ["a write conflict without a label", coded(112)],
    ["a duplicate key", coded(11_000)],
  ])("aborts and repeats after %s, in the same session", async (_what, error) => {
    expect(await run(failing(error))).toEqual({
      outcome: "done",
      calls: [snapshot, "work", "abort", snapshot, "work", "commit", "end"],
    });
  });

  it.each<[string, unknown]>([
    ["an error without a code", new Error("bug")],
    ["another label", labelled("RetryableWriteError")],
    ["an unknown commit in the work", labelled("UnknownTransactionCommitResult")],
    ["another code", coded(113)],
  ])("aborts, ends its session and throws %s", async (_what, error) => {
    expect(await run(failing(error))).toEqual({ outcome: error, calls: [snapshot, "work", "abort", "end"] });
  });

  it("commits again alone while it is unknown whether the commit happened", async () => {
    const unknown = labelled("UnknownTransactionCommitResult");

    expect(await run(failing(), { commits: [unknown, unknown] })).toEqual({
      outcome: "done",
      calls: [snapshot, "work", "commit", "commit", "commit", "end"],
    });
  });

  it("does all again when the commit found a conflict", async () => {
    expect(await run(failing(), { commits: [labelled("TransientTransactionError")] })).toEqual({
      outcome: "done",
      calls: [snapshot, "work", "commit", "abort", snapshot, "work", "commit", "end"],
    });
  });
});

describe("repeatOnConflict", () => {
  it("pauses twice as long each time, up to 100 ms, and gives up with the last error after timeoutMs", async () => {
    const tried: number[] = [];
    const start = performance.now();
    const errors = Array.from({ length: 20 }, () => new ConcurrentWriteError());
    const outcome = await settle(
      repeatOnConflict(async () => {
        tried.push(Math.round(performance.now() - start));
        throw errors[tried.length - 1] ?? new Error("too often");
      }, 327),
    );

    expect(tried).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 227, 327, 427]);
    expect(outcome).toBe(errors[10]);
  });
});

it.each([
  [coded(11_000), true],
  [coded(112), false],
  [new Error("11000"), false],
])("isDuplicate of %s is %j", (error, expected) => {
  expect(isDuplicate(error)).toBe(expected);
});
