import { describe, expect, it } from "vitest";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import { readUntilEnd, smallRun, turnOver, twoWords } from "./test/small-run.ts";

const words: StreamChunk[] = [
  { type: "text", text: "Take " },
  { type: "text", text: "it." },
];

/** Words without end, and how many were made. */
function endless() {
  let made = 0;
  async function* chunks(): AsyncGenerator<StreamChunk, FinishReason> {
    for (;;) yield { type: "text", text: `${made++} ` };
  }
  return { chunks, made: () => made };
}

describe("a run that is read", () => {
  it("does nothing before it is read, and begins once", async () => {
    const { execution, runs, names } = smallRun();
    await turnOver();
    expect(runs).toHaveLength(0);
    expect(names()).toEqual([]);

    await readUntilEnd(execution);

    expect(runs).toHaveLength(1);
  });

  it("yields its chunks and one finish with the reason and the usage, and then nothing more [chunk.finish]", async () => {
    const { execution } = smallRun();

    const { chunks, error } = await readUntilEnd(execution);

    expect(error).toBeUndefined();
    const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
    expect(chunks).toEqual([...words, { type: "finish", finishReason: "stop", usage }]);
    expect(await execution.next()).toEqual({ done: true, value: undefined });
  });

  it("pulls a chunk only for a read", async () => {
    const { chunks, made } = endless();
    const { execution } = smallRun({ chunks });
    await execution.next();
    await turnOver();
    expect(made()).toBe(1);

    await execution.next();
    await turnOver();

    expect(made()).toBe(2);
    await execution.return();
  });

  it("serves several reads at once in order", async () => {
    const { execution } = smallRun();

    const steps = await Promise.all(Array.from({ length: 5 }, async () => await execution.next()));

    expect(steps.map(({ value }) => value?.type)).toEqual(["text", "text", "finish", undefined, undefined]);
    expect(steps.map(({ done }) => done)).toEqual([false, false, false, true, true]);
  });

  it("rejects one of several waiting reads with a failure, and ends the others", async () => {
    const { execution } = smallRun({
      async *chunks() {
        yield { type: "text", text: "Take " };
        throw new Error("broken");
      },
    });

    const steps = await Promise.allSettled([execution.next(), execution.next(), execution.next(), execution.next()]);

    expect(steps.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(steps[3]).toMatchObject({ value: { done: true } });
  });

  it("drops its chunks when its output is awaited alone", async () => {
    const { execution, names } = smallRun();

    const output = await execution.output;

    expect(output.status).toBe("completed");
    expect(names()).toEqual(["run.start", ...Array.from({ length: 3 }, () => "run.stream.chunk"), "run.complete"]);
  });

  it("refuses a reader that comes after its output was awaited, and keeps the output", async () => {
    const { execution } = smallRun();
    const { output } = execution;
    void output.then(() => undefined);

    await expect(execution.next()).rejects.toMatchObject({ code: "conflict" });
    await expect(execution.next()).rejects.toThrow("Read the stream first");

    expect((await output).status).toBe("completed");
    await expect(execution.next()).rejects.toMatchObject({ code: "conflict" });
  });

  it("is pulled by its reader when its output is awaited as well", async () => {
    const { chunks, made } = endless();
    const { execution } = smallRun({ chunks });
    await execution.next();
    const { output } = execution;
    const outcome = output.then(
      () => "completed",
      () => "failed",
    );
    await turnOver();
    expect(made()).toBe(1);

    await execution.return();

    expect(await outcome).toBe("failed");
  });

  it("gives the same output to every await, however late", async () => {
    const { execution, runs } = smallRun();
    const first = await execution.output;

    expect(await execution.output).toBe(first);
    expect(execution.output).toBe(execution.output);
    expect(await execution.run()).toBe(first);
    expect(runs).toHaveLength(1);
  });

  it("has no chunks, also on the bus, when it is run as a whole", async () => {
    const { execution, names } = smallRun();

    await execution.run();

    expect(names()).toEqual(["run.start", "run.complete"]);
  });

  it("ends as cancelled when its reader leaves, after the release of all that it held", async () => {
    let isClosed = false;
    const { execution, names, runs } = smallRun({
      async *chunks() {
        try {
          yield* twoWords();
        } finally {
          isClosed = true;
        }
        return "stop";
      },
    });

    for await (const chunk of execution) if (chunk.type === "text") break;

    expect(names().at(-1)).toBe("run.error");
    expect(isClosed).toBe(true);
    expect(runs[0]?.context.signal.aborted).toBe(true);
    await expect(execution.output).rejects.toMatchObject({ code: "cancelled", output: { status: "error" } });
    expect(await execution.next()).toEqual({ done: true, value: undefined });
  });

  it("ignores a reader that leaves after the end, or that never read", async () => {
    const read = smallRun();
    await readUntilEnd(read.execution);
    await read.execution.return();
    expect(read.names().at(-1)).toBe("run.complete");

    const driven = smallRun();
    const output = driven.execution.output.then(({ status }) => status);
    expect(await driven.execution.return()).toEqual({ done: true, value: undefined });

    expect(await output).toBe("completed");
  });

  it("never starts when its reader leaves before the first chunk, and its output rejects", async () => {
    const { execution, runs, names } = smallRun();
    await execution.return();
    expect(names()).toEqual([]);

    expect(await execution.next()).toEqual({ done: true, value: undefined });
    await expect(execution.output).rejects.toMatchObject({ code: "cancelled" });

    expect(runs).toHaveLength(0);
    expect(names()).toEqual(["run.start", "run.error"]);
  });

  it("is its own iterator: a second loop continues where the first stopped", async () => {
    const { execution } = smallRun();
    const first = await execution.next();

    const { chunks } = await readUntilEnd(execution);

    expect([first.value, ...chunks.slice(0, 1)]).toEqual(words);
  });
});
