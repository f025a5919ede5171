import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Journal } from "../journal/journal.ts";
import { logKey, runNamespaces } from "../journal/log-entry.ts";
import type { LogEntry } from "../journal/log-entry.ts";
import type { RunChunk } from "../run/run-wait.ts";
import { LogWriter } from "../journal/log-writer.ts";
import { readLog } from "../journal/read-log.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

const runId = "5b1e9f3c-0000-4000-8000-000000000001";
const call = { name: "look_up", arguments: { id: 7 } };

/** An agent over the storage whose tool counts its calls, and the model that it asks. */
function createAgent(storage: StorageDriver, answers: ConstructorParameters<typeof ScriptedModel>) {
  const model = new ScriptedModel(...answers);
  const tool = {
    name: "look_up",
    description: "Looks a number up.",
    parameters: z.object({ id: z.number() }),
    effect: "pure" as const,
    execute: () => "found",
  };
  return { model, agent: new Agent({ name: "a", model, storage, tools: [tool] }) };
}

/** Makes an attempt at the run as a service does, and returns its output. */
async function attempt(agent: Agent, storage: StorageDriver) {
  const journal = await Journal.open({ runId, storage, writer: new LogWriter(storage), node: "n", print: "" });
  const stream = agent.stream("What is 7?", attemptOpts({ runId, sessionId: "s", steps: journal }));
  for await (const chunk of stream) {
    await journal.durable.writeChunk(chunk);
    // A record for each chunk.
    await journal.flush();
  }
  const output = await stream.output;
  await journal.durable.end({ output: output.text });
  return output;
}

async function entriesIn(storage: StorageDriver): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const page of readLog(storage, runId)) entries.push(...page.flatMap(({ record }) => record.entries));
  return entries;
}

/** The chunks that count: without those of steps that a later attempt made anew. */
function chunksIn(entries: readonly LogEntry[]): RunChunk[] {
  return entries.flatMap((entry, index) => {
    if (entry.t !== "chunks") return [];
    const isVoid = entries.slice(index).some((later) => later.t === "attempt" && later.void?.includes(entry.step));
    return isVoid ? [] : entry.chunks;
  });
}

const withoutDurations = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, part) => (name === "durationMs" ? undefined : part)));

describe("A durable run of an agent", () => {
  it("goes on after a stop at any record of its log, with the same output, usage, chunks and turn", async () => {
    const storage = new InMemoryStorage();
    const answers = [{ text: "Let me see.", toolCalls: [call] }, "It is found."];
    const { agent } = createAgent(storage, answers);
    const whole = await attempt(agent, storage);
    const entries = await entriesIn(storage);
    const records = (await storage.list(runNamespaces.log)).map(({ value }) => value);
    expect(records.length).toBeGreaterThan(4);

    for (let kept = 1; kept < records.length; kept++) {
      const later = new InMemoryStorage();
      for (const [index, record] of records.slice(0, kept).entries()) {
        await later.set(runNamespaces.log, logKey(runId, index + 1), record);
      }
      const done = JSON.stringify(records.slice(0, kept)).match(/"t":"done","step":"m\/\d"/g)?.length ?? 0;
      const { agent: again, model } = createAgent(later, answers.slice(done));
      const output = await attempt(again, later);

      expect(output.text).toBe(whole.text);
      expect(output.usage).toEqual(whole.usage);
      expect(withoutDurations(output.toolCalls)).toEqual(withoutDurations(whole.toolCalls));
      model.assertDone();
      expect(withoutDurations(joined(chunksIn(await entriesIn(later))))).toEqual(
        withoutDurations(joined(chunksIn(entries))),
      );
      expect((await again.sessions.readTurns("s")).turns).toHaveLength(1);
    }
  });

  it("stores its turn once, also when the process ended between the turn and the end of the run", async () => {
    const storage = new InMemoryStorage();
    const { agent } = createAgent(storage, ["Hello."]);
    await attempt(agent, storage);
    const last = (await storage.list(runNamespaces.log)).at(-1);
    await storage.delete(runNamespaces.log, last?.key ?? "");

    await attempt(createAgent(storage, ["Hello."]).agent, storage);

    expect((await agent.sessions.readTurns("s")).turns).toHaveLength(1);
  });
});

it("the duration of a durable run is that of all its attempts, without the time that it waited", async () => {
  const storage = new InMemoryStorage();
  const entries: LogEntry[] = [
    { t: "attempt", n: 1, id: "1", node: "n", print: "" },
    { t: "wait", wait: { id: "t.0.0", kind: "approval", about: null }, performedMs: 5000 },
  ];
  await storage.set(runNamespaces.log, logKey(runId, 1), { v: 1, entries } as unknown as Json);

  const { durationMs } = await attempt(createAgent(storage, ["Hello."]).agent, storage);

  expect(durationMs).toBeGreaterThanOrEqual(5000);
  expect(durationMs).toBeLessThan(65_000);
});

/** Joins neighbouring texts: where a text is split depends on the model. */
function joined(chunks: readonly RunChunk[]): RunChunk[] {
  const all: { type: string; text?: string }[] = [];
  for (const chunk of chunks as { type: string; text?: string }[]) {
    const last = all.at(-1);
    if (chunk.type === "text" && last?.type === "text") last.text = `${last.text}${chunk.text}`;
    else all.push({ ...chunk });
  }
  return all;
}
