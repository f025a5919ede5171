import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Runnable } from "../../agents/run/runnable.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { putCancel } from "../record/answers.ts";
import { runnableOf } from "./test/asking-runnable.ts";
import type { JournaledWork } from "./test/asking-runnable.ts";
import { attempt, job, processOf, talking } from "./test/performing.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const payment = { tool: "pay", args: {}, effect: "once", key: "k" } as const;

/**
 * Performs a run of an agent that finishes a payment and then does this. Returns the kinds of the entries in the run's
 * log at the moment at which its job is over: another process may perform the run from then on.
 */
async function payAndThen(next: JournaledWork, abort = new AbortController()) {
  const agent = runnableOf(async function* (journal, opts) {
    const step = journal.begin("t/0/0");
    await journal.call("t/0/0", payment);
    step.done("paid");
    return yield* next(journal, opts);
  });
  const { performer, logged, read } = await processOf(agent);
  const entries = await performer.perform(job, abort.signal).then(logged);
  return { kinds: entries.map(({ t }) => t), read };
}

describe("an attempt that stops before the end of its run", () => {
  it("has stored its finished work when it is released", async () => {
    const abort = new AbortController();
    const { kinds } = await payAndThen(async function* (journal) {
      abort.abort();
      yield await Promise.reject(journal.durable.signal.reason as Error);
      return "";
    }, abort);

    expect(kinds).toEqual(["attempt", "call", "done", "left"]);
  });

  it("has stored its finished work when the storage of its session fails", async () => {
    const { kinds } = await payAndThen(async function* (journal) {
      journal.durable.failStorage(new TroupeError("storage_unavailable", "It is down."));
      yield await Promise.reject(journal.durable.signal.reason as Error);
      return "";
    });

    expect(kinds).toEqual(["attempt", "call", "done", "left"]);
  });

  it("has stored that it left when it is released before its runnable begins", async () => {
    const stream = vi.fn<Runnable["stream"]>();
    const { performer, parts, logged } = await processOf({ ...talking, stream });
    const abort = new AbortController();
    parts.writer.onStored(() => abort.abort());
    const entries = await performer.perform(job, abort.signal).then(logged);

    expect(entries.map(({ t }) => t)).toEqual(["attempt", "left"]);
    expect(stream).not.toHaveBeenCalled();
  });
});

describe("an attempt that ends its run early", () => {
  it("counts a call as settled that finished just before", async () => {
    const { kinds, read } = await payAndThen(async function* () {
      yield await Promise.reject(new TroupeError("cancelled", "Enough."));
      return "";
    });

    expect(kinds).toEqual(["attempt", "call", "done", "end"]);
    expect(await read()).toMatchObject({
      status: "cancelled",
      output: { toolStates: [{ step: "t/0/0", toolName: "pay", state: "settled" }] },
    });
  });

  it.each([
    ["cancelled", 0],
    ["error", 3],
  ])("lets its session take other runs before the run ends as %s", async (status, vainAttempts) => {
    const asking = runnableOf(async function* (journal, { signal }) {
      journal.begin("m/1");
      await journal.durable.newWork.before();
      yield await Promise.reject(signal?.reason as Error);
      return "";
    });
    const seen: unknown[] = [];
    const sessions = {
      endWait: async (...args: unknown[]) => void seen.push(args, (await logged()).at(-1)?.t),
    };
    const vain = Array.from({ length: vainAttempts }, (_, index) => [attempt(index + 2)]);
    const log = [[attempt(1), { t: "done", step: "m/0", value: "kept", ms: 1 } as const], ...vain];
    const { perform, parts, logged, read } = await processOf({ ...asking, sessions } as Runnable, { log });
    if (status === "cancelled") await putCancel(parts.store.storage, "r", "Enough.");
    await perform();

    expect(seen).toEqual([["s", "r", { owner: { userId: "ada" } }], expect.not.stringMatching("end")]);
    expect((await logged()).at(-1)).toMatchObject({ t: "end" });
    expect(await read()).toMatchObject({ status });
  });
});
