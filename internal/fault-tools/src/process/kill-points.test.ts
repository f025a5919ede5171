import { EventBus } from "@troupe/core";
import type { Runnable, RunContext, RunStream, StorageDriver, StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { createKillPoints } from "./kill-points.ts";
import type { KillPoint } from "./kill-points.ts";

/** Wrappers that write down what is reached, into the list of what else happens. */
function recorded() {
  const story: string[] = [];
  const points = createKillPoints(async (point: KillPoint) => void story.push(point));
  return { story, points };
}

const driver = (story: string[], members: Partial<StorageDriver> = {}): StorageDriver => ({
  get: async () => null,
  set: async (namespace) => void story.push(`set ${namespace}`),
  delete: async () => {},
  list: async () => [],
  close: async () => {},
  ...members,
});

describe("kill points", () => {
  it("are reached around each write of a turn and no other", async () => {
    const { story, points } = recorded();
    const storage = points.storage(
      driver(story, {
        append: async () => (story.push("append"), { key: "k", seq: 1 }),
        transaction: async () => void story.push("transaction"),
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
    expect(story).toEqual([
      "set sessions",
      ...around("append"),
      "transaction",
      ...around("transaction"),
      ...around("set turns"),
    ]);
  });

  it("give a storage no members that it has not", () => {
    const { story, points } = recorded();
    const storage = points.storage(driver(story));

    expect(["append", "compareAndSet", "transaction", "ping"].filter((name) => name in storage)).toEqual([]);
  });

  it("are not passed when the commit fails", async () => {
    const { story, points } = recorded();
    const storage = points.storage(driver(story, { set: async () => await Promise.reject(new Error("full")) }));

    await expect(storage.set("turns", "s/1", 1)).rejects.toThrow("full");
    expect(story).toEqual(["before_commit"]);
  });

  it("are reached when a model has answered, before anyone knows", async () => {
    const { story, points } = recorded();
    const model = points.model(new ScriptedModel("one", "two"));
    const response = await model.generate([]);
    story.push(response.text);
    for await (const chunk of model.stream([])) story.push(chunk.type);

    expect(story).toEqual(["after_model", "one", "text", "after_model", "finish"]);
    expect([model.providerId, model.modelId]).toEqual(["scripted", "scripted-1"]);
  });

  it("are reached when a tool is done, well or not", async () => {
    const { story, points } = recorded();
    const tool = { name: "t", description: "", parameters: { type: "object" }, execute: () => "done" } as const;
    const failing = { ...tool, execute: async () => await Promise.reject(new Error("no")) };

    expect(await points.tool(tool).execute({}, {} as RunContext)).toBe("done");
    await expect(points.tool(failing).execute({}, {} as RunContext)).rejects.toThrow("no");
    expect(story).toEqual(["after_tool", "after_tool"]);
  });

  it("are reached once before the end of a run is told, however it is told", async () => {
    const { story, points } = recorded();
    const runnable = points.runnable(new Parrot());
    await runnable.run("hello");
    story.push("told");
    const stream = runnable.stream("hello");
    for await (const chunk of stream) story.push(chunk.type);
    story.push((await stream.output).text);

    expect(story).toEqual(["before_finish", "told", "text", "before_finish", "finish", "hello"]);
    expect([runnable.name, runnable.kind, stream.runId]).toEqual(["parrot", "agent", "r"]);
  });

  it("hold a run up for as long as the word to go on is missing", async () => {
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

/** Has private state, as an agent has. */
class Parrot implements Runnable {
  readonly name = "parrot";
  readonly kind = "agent";
  readonly eventBus = new EventBus<never>() as unknown as Runnable["eventBus"];
  readonly #usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

  async run(input: unknown) {
    return { text: String(input), toolCalls: [], usage: this.#usage };
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
      cancel: () => {},
      [Symbol.asyncIterator]: () =>
        (async function* () {
          yield* chunks;
        })(),
    };
  }
}
