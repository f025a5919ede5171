import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runnableOf } from "./test/asking-runnable.ts";
import { soon } from "./test/services.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Attempt } from "../../agents/journal/attempt.ts";
import { Journal } from "../../agents/journal/journal.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import { startRun } from "../processes/durable-target.ts";
import { record } from "../processes/test/parts.ts";
import { expectPause, job, processOf, talking } from "./test/performing.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("an attempt under way", () => {
  const deaf = runnableOf(async function* () {
    yield await new Promise<never>(() => {});
    return "";
  });

  it("can be cancelled by its process, and is done once it is over", async () => {
    const patient = runnableOf(async function* (_journal, { signal }) {
      yield { type: "text", text: "Half" };
      await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
      return "";
    });
    const { perform, performing, read } = await processOf(patient);
    const over = perform();
    await vi.waitFor(() => expect(performing.size).toBe(1));
    await vi.advanceTimersByTimeAsync(200);
    expect(await read()).toMatchObject({ status: "running" });
    const own = performing.get("r");
    own?.cancel(new TroupeError("cancelled", "Enough."));
    await soon(own?.done ?? Promise.reject(new Error("none")));
    expect(await over).toBeUndefined();
    expect(await read()).toMatchObject({ status: "cancelled", error: { code: "cancelled", message: "Enough." } });
  });

  it("an attempt under way that is released is left after five seconds, though its runnable does not listen", async () => {
    const { performer, logged, performing, read } = await processOf(deaf);
    const abort = new AbortController();
    const done = vi.fn<() => void>();
    const over = performer.perform(job, abort.signal);
    void over.finally(done);
    await vi.advanceTimersByTimeAsync(1000);
    abort.abort();
    await vi.advanceTimersByTimeAsync(4900);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(300);
    expect(await soon(over)).toBeUndefined();
    expect((await logged()).at(-1)).toMatchObject({ t: "left", why: "released" });
    expect((await read())?.endedAt).toBeUndefined();
    expect(performing.size).toBe(0);
  });

  it("has the input, options, keys and caller of its run, and what it was handed over", async () => {
    const seen: unknown[] = [];
    const agent: Runnable = {
      ...talking,
      stream: (input, opts) => (seen.push(input, opts), talking.stream(input, opts)),
    };
    const options = { metadata: { a: 1 }, instructions: "Be brief." };
    const owner = { userId: "ada", tenantId: "acme", verified: false };
    const { perform, parts, read } = await processOf(agent, { run: { options, owner, isNewSession: true } });
    await parts.store.change("r", (stored) => ({
      ...stored,
      keys: parts.vault.seal("r", { apiKey: "sk-1" }) ?? "none",
    }));
    await perform();
    const own = { runId: "r", sessionId: "s", isNewSession: true, apiKey: "sk-1", ...owner };
    expect(seen).toEqual(["Hello.", expect.objectContaining({ ...own, ...options, fromOutside: true })]);
    expect(await read()).not.toHaveProperty("keys");

    const local = await processOf(agent);
    local.parts.locals.set("r", { input: "Local.", metadata: { b: 2 } });
    await local.perform();
    expect(seen.slice(2)).toEqual(["Local.", expect.objectContaining({ metadata: { b: 2 } })]);
    expect(local.parts.locals.size).toBe(0);
  });

  it("an attempt under way that began with the acceptance of its run goes on without a read of that", async () => {
    const { perform, parts, read, logged } = await processOf(talking, { run: null });
    const plan = parts.printer.print(talking);
    const first = Attempt.firstRecord({ node: "here", print: "p" });
    const begun = { ...record, plan };
    await parts.store.insert(begun, first);
    const ready = { target: talking, keys: {}, plan, print: "p" };
    const { storage } = parts.store;
    const journal = Journal.openFirst({ runId: "r", storage, writer: parts.writer, node: "here", print: "p" });
    const run = startRun(talking, { kind: "agent", input: "Hello." }, { runId: "r", steps: journal });
    parts.begun.set("r", { record: begun, first, ...ready, journal, run, controller: new AbortController() });
    const [reading, leave] = [vi.spyOn(parts.store, "read"), vi.spyOn(parts.tails, "leave")];
    expect(await perform()).toBeUndefined();
    expect(reading).not.toHaveBeenCalled();
    expect(leave).toHaveBeenCalledOnce();
    expect(parts.begun.size).toBe(0);
    expect(await read()).toMatchObject({ status: "completed", attempts: 1, output: { text: "Hi." } });
    expect((await logged()).map(({ t }) => t)).toEqual(["attempt", "chunks", "end"]);
  });

  it("an attempt under way that fails is an end, whose cause the operator is told", async () => {
    const broken = runnableOf(async function* () {
      yield { type: "text", text: "Half" };
      throw await Promise.resolve(new Error("The bug."));
    });
    const { perform, read, lines } = await processOf(broken);
    expect(await perform()).toBeUndefined();
    expect(await read()).toMatchObject({ status: "error", output: null, error: { code: "internal" } });
    expect(lines.filter((line) => line.includes("The bug."))).toHaveLength(1);
  });
});

describe("a storage that fails", () => {
  it("lets a run be performed again, after longer pauses, and tells its readers and the operator", async () => {
    const { perform, parts, lines } = await processOf(talking);
    const fail = vi.spyOn(parts.tails, "fail");
    const read = vi.spyOn(parts.store, "read").mockRejectedValue(new TroupeError("storage_unavailable", "down"));
    for (const ms of [1000, 2000, 5000, 10_000, 30_000, 30_000]) expectPause(await perform(), ms);
    expect(fail).toHaveBeenCalledTimes(6);
    expect(fail).toHaveBeenLastCalledWith("r", expect.objectContaining({ code: "storage_unavailable" }));
    expect(lines).toHaveLength(6);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "error",
      runId: "r",
      error: { code: "storage_unavailable" },
    });
    read.mockRestore();
    expect(await perform()).toBeUndefined();
    vi.spyOn(parts.store, "read").mockRejectedValue(new TroupeError("storage_unavailable", "down"));
    expectPause(await perform(), 1000);
  });

  it("ends a run that cannot be read in its record alone, and drops one that has none", async () => {
    const { perform, read, storage } = await processOf(talking, { run: { status: "running", attempts: 1 } });
    await storage.set("run-log", "r/000000000001", { v: 1 });
    expect(await perform()).toBeUndefined();
    expect(await read()).toMatchObject({ status: "error", error: { code: "storage_corrupt" } });
    const damaged = await processOf(talking);
    await damaged.storage.set("runs", "r", { v: 1 });
    expect(await damaged.perform()).toBeUndefined();
    expect(await damaged.storage.get("runs", "r")).toEqual({ v: 1 });
  });

  it("leaves a run that cannot be read to the next attempt when its end is not stored, and throws nothing", async () => {
    const { perform, parts, read, storage } = await processOf(talking, { run: { status: "running", attempts: 1 } });
    await storage.set("run-log", "r/000000000001", { v: 1 });
    const finish = vi
      .spyOn(parts.store, "finish")
      .mockRejectedValueOnce(new TroupeError("storage_unavailable", "down"));
    expect(await perform()).toBeUndefined();
    expect(finish).toHaveBeenCalledOnce();
    expect(await read()).toMatchObject({ status: "running" });
    expect(await perform()).toBeUndefined();
    expect(await read()).toMatchObject({ status: "error", error: { code: "storage_corrupt" } });
  });
});
