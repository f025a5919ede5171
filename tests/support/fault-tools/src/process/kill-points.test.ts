import { Readable } from "node:stream";
import { EventBus } from "@troupe/core";
import type { Runnable, RunContext, RunStream, StorageDriver, StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { createKillPoints } from "./kill-points.ts";
import type { KillPoint } from "./kill-points.ts";

/** Creates wrappers that record each kill point among the other events. */
function recorded() {
  const events: string[] = [];
  const points = createKillPoints(async (point: KillPoint) => void events.push(point));
  return { events, points };
}

const driver = (events: string[], members: Partial<StorageDriver> = {}): StorageDriver => ({
  get: async () => null,
  set: async (namespace) => void events.push(`set ${namespace}`),
  delete: async () => {},
  list: async () => [],
  close: async () => {},
  ...members,
});

describe("kill points", () => {
  it("are reached before and after each write of a turn, and at no other write", async () => {
    const { events, points } = recorded();
    const storage = points.storage(
      driver(events, {
        append: async () => (events.push("append"), { key: "k", seq: 1 }),
        transaction: async () => void events.push("transaction"),
      }),
    );
    await storage.set("sessions", "s", 1);
    await storage.list("turns");
    await storage.append?.("turns", "s/", 1);
    await storage.transaction?.([{ namespace: "memory", key: "k", value: 1 }]);
    await storage.transaction?.([
      { namespace: "sessions", key: "k", value: 1 },
      { namespace: "turns", key: "k", value: 1 },
    ]);
    await storage.set("turns", "s/1", 1);

    const around = (name: string) => ["before_commit", name, "after_commit"];
    expect(events).toEqual([
      "set sessions",
      ...around("append"),
      "transaction",
      ...around("transaction"),
      ...around("set turns"),
    ]);
  });

  it("add no members to a storage", () => {
    const { events, points } = recorded();
    const storage = points.storage(driver(events));

    expect(["append", "compareAndSet", "transaction", "ping"].filter((name) => name in storage)).toEqual([]);
  });

  it("do not include after_commit when the commit fails", async () => {
    const { events, points } = recorded();
    const storage = points.storage(driver(events, { set: async () => await Promise.reject(new Error("full")) }));

    await expect(storage.set("turns", "s/1", 1)).rejects.toThrow("full");
    expect(events).toEqual(["before_commit"]);
  });

  it("include after_model when a model has answered, before the answer is passed on", async () => {
    const { events, points } = recorded();
    const model = points.model(new ScriptedModel("one", "two"));
    const response = await model.generate([]);
    events.push(response.text);
    for await (const chunk of model.stream([])) events.push(chunk.type);

    expect(events).toEqual(["after_model", "one", "text", "after_model", "finish"]);
    expect([model.providerId, model.modelId]).toEqual(["scripted", "scripted-1"]);
  });

  it("include after_tool when a tool has returned or thrown", async () => {
    const { events, points } = recorded();
    const tool = { name: "t", description: "", parameters: { type: "object" }, execute: () => "done" } as const;
    const failing = { ...tool, execute: async () => await Promise.reject(new Error("no")) };

    expect(await points.tool(tool).execute({}, {} as RunContext)).toBe("done");
    await expect(points.tool(failing).execute({}, {} as RunContext)).rejects.toThrow("no");
    expect(events).toEqual(["after_tool", "after_tool"]);
  });

  it("include before_finish once before the end of a run is reported by run, a stream or its output", async () => {
    const { events, points } = recorded();
    const runnable = points.runnable(new Parrot());
    await runnable.run("hello");
    events.push("told");
    const stream = runnable.stream("hello");
    for await (const chunk of stream) events.push(chunk.type);
    events.push((await stream.output).text);

    expect(events).toEqual(["before_finish", "told", "text", "before_finish", "finish", "hello"]);
    expect([runnable.name, runnable.kind, stream.runId]).toEqual(["parrot", "agent", "r"]);
  });

  it("make a run wait until the listener resolves", async () => {
    const told: string[] = [];
    const goOn: (() => void)[] = [];
    const reach = async () => await new Promise<void>((resolve) => goOn.push(resolve));
    const runnable = createKillPoints(reach).runnable(new Parrot());
    const done = runnable.run("hello").then(() => told.push("done"));
    await new Promise((next) => setImmediate(next));

    expect(told).toEqual([]);
    goOn[0]?.();
    await done;
    expect(told).toEqual(["done"]);
  });
});

/** A runnable with a private field, as an agent has. */
class Parrot implements Runnable {
  readonly name = "parrot";
  readonly kind = "agent";
  readonly eventBus = new EventBus<never>() as unknown as Runnable["eventBus"];
  readonly #usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

  async run(input: unknown) {
    return {
      text: String(input),
      toolCalls: [],
      usage: this.#usage,
      runId: "r",
      sessionId: "s",
      status: "completed" as const,
      durationMs: 0,
    };
  }

  stream(input: unknown): RunStream {
    const output = this.run(input);
    const chunks: StreamChunk[] = [
      { type: "text", text: String(input) },
      { type: "finish", finishReason: "stop" },
    ];
    return {
      runId: "r",
      output,
      textStream: Readable.from([String(input)]),
      objectStream: Readable.from([]),
      cancel: () => {},
      [Symbol.asyncIterator]: () =>
        (async function* () {
          yield* chunks;
        })(),
    };
  }
}
