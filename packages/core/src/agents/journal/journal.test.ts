import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { Journal } from "./journal.ts";
import { LogWriter } from "./log-writer.ts";
import type { LogEntry } from "./log-entry.ts";
import { readLog } from "./read-log.ts";
import { RunPaused } from "../run/run-paused.ts";

const runId = "5b1e9f3c-0000-4000-8000-000000000001";

async function open(storage: StorageDriver, node: string, answers = new Map<string, string>()): Promise<Journal> {
  return await Journal.open({ runId, storage, writer: new LogWriter(storage), node, print: "", answers });
}

async function entriesIn(storage: StorageDriver): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const page of readLog(storage, runId)) entries.push(...page.flatMap(({ record }) => record.entries));
  return entries;
}

describe("Journal", () => {
  it("gives a later attempt the results of the steps that are done", async () => {
    const storage = new InMemoryStorage();
    const first = await open(storage, "one");
    first.part("t/0/0").begin("m/0").done({ text: "hello" });
    await first.call("t/0/1", { tool: "send", args: {}, effect: "once", key: "k" });

    const second = await open(storage, "two");

    expect(second.durable.attempt).toBe(2);
    expect(second.part("t/0/0").stored("m/0")?.value).toEqual({ text: "hello" });
    expect(second.callOf("t/0/1")).toBeDefined();
    expect(second.stored("m/0")).toBeUndefined();
  });

  it("stops an attempt that another one has overtaken, and nothing of it follows in the log", async () => {
    const storage = new InMemoryStorage();
    const first = await open(storage, "one");
    await open(storage, "two");

    first.begin("m/0").done("late");
    await expect(first.durable.end({ output: "late" })).rejects.toThrow(RunPaused);

    expect(first.durable.stopped).toBe("overtaken");
    expect(first.durable.signal.aborted).toBe(true);
    expect((await entriesIn(storage)).map(({ t }) => t)).toEqual(["attempt", "attempt"]);
  });

  it("stops for a storage that cannot be reached and keeps what was done, but the third attempt without a step that is done goes on", async () => {
    const storage = new InMemoryStorage();
    const cause = new TroupeError("storage_unavailable", "It is away.");
    const stops: unknown[] = [];
    for (const node of ["one", "two", "three"]) {
      const journal = await open(storage, node);
      if (node === "one") journal.begin("m/0").done("kept");
      journal.durable.failStorage(cause);
      await journal.flush();
      stops.push([journal.durable.stopped, (journal.durable.signal.reason as Error | undefined)?.cause]);
    }

    // The first one has done a step, so that three others may fail.
    const last = await open(storage, "four");
    last.durable.failStorage(cause);

    expect(stops).toEqual(Array.from({ length: 3 }, () => ["failed", cause]));
    expect(last.stored("m/0")?.value).toBe("kept");
    expect(last.durable.stopped).toBeUndefined();
  });

  it("counts an attempt that said that it left not as one in vain, nor among those that could not reach the session", async () => {
    const storage = new InMemoryStorage();
    const cause = new TroupeError("storage_unavailable", "It is away.");
    await open(storage, "killed");
    const released = await open(storage, "released");
    released.durable.stop("released");
    await released.flush();
    await open(storage, "killed");
    const failed = await open(storage, "failed");

    expect(failed.durable.fruitlessAttempts).toBe(3);
    failed.durable.failStorage(cause);
    expect(failed.durable.stopped).toBe("failed");
    await failed.flush();
    expect((await open(storage, "last")).durable.fruitlessAttempts).toBe(3);
  });

  it("says nothing after its end, also when it is released", async () => {
    const storage = new InMemoryStorage();
    const journal = await open(storage, "one");
    const ended = journal.durable.end({ output: "Over." });
    journal.durable.stop("released");
    await ended;
    await journal.flush();

    expect(JSON.stringify(await storage.list("run-log"))).not.toContain("left");
    expect((await open(storage, "two")).durable.ended).toMatchObject({ output: "Over." });
  });

  it("suspends once nothing but waits is under way, and gives the next attempt the answer", async () => {
    const storage = new InMemoryStorage();
    const first = await open(storage, "one");
    const [asking, working] = [first.begin("t/0/0"), first.begin("t/0/1")];
    const waiting = first.wait("t/0/0", { kind: "approval", about: { toolName: "send" } });
    await letRun();
    expect(first.durable.stopped).toBeUndefined();
    working.done("kept");
    await expect(waiting).rejects.toThrow("The run waits for an answer.");
    asking.leave();

    expect(first.durable.stopped).toBe("suspended");
    const second = await open(storage, "two", new Map([["t.0.0", "yes"]]));
    expect(second.stored("t/0/1")?.value).toBe("kept");
    expect(await second.wait("t/0/0", { kind: "approval", about: {} })).toBe("yes");
  });

  it("names the steps whose chunks a new attempt makes again, and drops the other chunks when they come again", async () => {
    const storage = new InMemoryStorage();
    const first = await open(storage, "one");
    const step = first.begin("m/0");
    const chunk = { type: "text", text: "half" };
    step.tag(chunk);
    void first.durable.writeChunk(chunk);
    void first.durable.writeChunk({ type: "tool_result", durationMs: 3 } as { type: string });
    await first.call("t/0/0", { tool: "send", args: {}, effect: "once", key: "k" });

    const second = await open(storage, "two");
    void second.durable.writeChunk({ type: "tool_result", durationMs: 5 } as { type: string });
    void second.durable.writeChunk({ type: "tool_result", durationMs: 5 } as { type: string });
    await second.durable.end({ output: null });

    const entries = await entriesIn(storage);
    expect(entries.find((entry) => entry.t === "attempt" && entry.n === 2)).toMatchObject({ void: ["m/0"] });
    expect(entries.filter(({ t }) => t === "chunks")).toHaveLength(3);
    expect((await open(storage, "three")).durable.ended).toEqual({ t: "end", output: null });
  });

  it("makes ids that are the same in every attempt", async () => {
    const [one, other] = [await open(new InMemoryStorage(), "one"), await open(new InMemoryStorage(), "two")];
    expect(one.part("t/0/0").id("x")).toBe(other.part("t/0/0").id("x"));
    expect(one.id("x")).not.toBe(one.part("t/0/0").id("x"));
    expect(one.id("x")).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
  });
});
