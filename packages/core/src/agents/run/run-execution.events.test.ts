import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunEvents } from "./run-events.ts";
import type { RunEnd } from "./run-work.ts";
import { failureOf } from "../../testing/conformance/assert.ts";
import { readUntilEnd, smallRun, turnOver, twoWords, waiting } from "./test/small-run.ts";

describe("the events of a run", () => {
  afterEach(() => void vi.useRealTimers());

  it("are its start, each chunk, and one end, with the run's id [events.run-start] [events.run-stream-chunk]", async () => {
    const { execution, heard } = smallRun();
    const { chunks } = await readUntilEnd(execution);
    const output = await execution.output;

    const { runId, sessionId } = output;
    const ids = { runId, sessionId };
    expect(heard).toEqual([
      { name: "run.start", data: { ...ids, agentName: "small", input: "Umbrella?" } },
      ...chunks.map((chunk) => ({ name: "run.stream.chunk", data: { ...ids, chunk } })),
      { name: "run.complete", data: { ...ids, output } },
    ]);
  });

  it("hold the error that is thrown [events.run-error]", async () => {
    const { execution, heard } = smallRun({ begin: async () => await Promise.reject(new Error("broken")) });
    const { error } = await readUntilEnd(execution);

    expect(heard.at(-1)).toEqual({
      name: "run.error",
      data: { runId: execution.runId, sessionId: expect.any(String), error },
    });
    expect(heard.at(-1)?.data).toHaveProperty("error", error);
    expect(heard.filter(({ name }) => name === "run.complete")).toEqual([]);
  });

  it("name the parent run if there is one", async () => {
    const above = smallRun();
    await above.execution.run();
    const parent = above.runs[0]?.context;
    const { execution, heard } = smallRun({}, parent === undefined ? {} : { parent });
    await execution.output;

    expect(heard.length).toBeGreaterThan(2);
    for (const { data } of heard) expect(data).toMatchObject({ parentRunId: above.execution.runId });
  });

  it("are none after the end, whatever is called then", async () => {
    const { execution, names } = smallRun();
    await readUntilEnd(execution);
    const before = names();

    execution.cancel();
    await execution.return();
    await execution.next();
    await execution.run();

    expect(names()).toEqual(before);
  });

  it.each(["run.start", "run.stream.chunk", "tool.call"] as const)(
    "stay in order when a handler of %s cancels the run",
    async (name) => {
      const { execution, eventBus, names, runs } = smallRun({
        async *chunks() {
          eventBus.emit("tool.call", {
            runId: execution.runId,
            sessionId: "s",
            toolCallId: "1",
            toolName: "look",
            args: {},
          });
          return yield* twoWords();
        },
      });
      eventBus.on(name, () => execution.cancel());

      const { error } = await readUntilEnd(execution);

      expect(error).toMatchObject({ code: "cancelled" });
      expect(names()[0]).toBe("run.start");
      expect(names().at(-1)).toBe("run.error");
      expect(names().filter((heard) => /complete|error/.test(heard))).toHaveLength(1);
      expect(runs.length).toBe(name === "run.start" ? 0 : 1);
    },
  );

  it("say completed even when a handler of that event or of the finish chunk cancels the run", async () => {
    const { execution, eventBus, names } = smallRun();
    eventBus.on("run.complete", () => execution.cancel());
    eventBus.on("run.stream.chunk", ({ chunk }) => chunk.type === "finish" && execution.cancel());

    const { chunks, error } = await readUntilEnd(execution);

    expect(error).toBeUndefined();
    expect(chunks.at(-1)?.type).toBe("finish");
    expect(names().at(-1)).toBe("run.complete");
    expect((await execution.output).status).toBe("completed");
  });

  it("do not depend on handlers that throw or reject", async () => {
    const { execution, eventBus } = smallRun();
    for (const name of ["run.start", "run.stream.chunk", "run.complete"] satisfies (keyof RunEvents)[]) {
      eventBus.on(name, () => {
        throw new Error("handler");
      });
      eventBus.on(name, async () => await Promise.reject(new Error("handler")));
    }

    const { chunks, error } = await readUntilEnd(execution);

    expect([chunks.length, error]).toEqual([3, undefined]);
  });

  it("announce the end after the work's onEnd", async () => {
    const ends: RunEnd[] = [];
    const order: string[] = [];
    const { execution, eventBus } = smallRun({
      onEnd: (end) => {
        ends.push(end);
        order.push("work");
      },
      release: () => void order.push("released"),
    });
    eventBus.on("run.complete", () => void order.push("bus"));
    const output = await execution.run();

    expect(order).toEqual(["work", "released", "bus"]);
    expect(ends).toEqual([{ output }]);
  });

  it("announce the same end when onEnd throws, which is logged", async () => {
    const onEnd = () => {
      throw new Error("afterRun broke");
    };
    const good = smallRun({ onEnd });
    const bad = smallRun({ onEnd, begin: async () => await Promise.reject(new Error("broken")) });

    expect((await good.execution.run()).status).toBe("completed");
    await expect(bad.execution.run()).rejects.toMatchObject({ code: "internal" });

    for (const { lines } of [good, bad]) expect(lines.join()).toContain("afterRun broke");
  });

  it("announce a failure after the grace period when onEnd hangs", async () => {
    vi.useFakeTimers();
    const { execution, names } = smallRun({
      onEnd: waiting().wait,
      begin: async () => await Promise.reject(new Error("broken")),
    });
    const failure = failureOf(execution.run());
    await turnOver();
    expect(names()).toEqual(["run.start"]);

    await vi.advanceTimersByTimeAsync(5000);

    expect(await failure).toMatchObject({ code: "internal" });
    expect(names()).toEqual(["run.start", "run.error"]);
  });

  it("announce a completed run after the grace period when onEnd hangs and the caller cancels", async () => {
    vi.useFakeTimers();
    const { execution, names } = smallRun({ onEnd: waiting().wait });
    const outcome = execution.run();
    await vi.advanceTimersByTimeAsync(60_000);
    execution.cancel();
    await vi.advanceTimersByTimeAsync(5000);

    expect((await outcome).status).toBe("completed");
    expect(names()).toEqual(["run.start", "run.complete"]);
  });
});
