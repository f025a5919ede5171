import { describe, expect, it, vi } from "vitest";
import { Agent } from "../agent/agent.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { WorkflowChunk } from "./workflow-result.ts";
import { WorkflowError } from "./workflow-result.ts";
import { Workflow } from "./workflow.ts";

/** A chunk in a word or two. */
function told(chunk: WorkflowChunk<unknown>): string {
  if (chunk.type === "finish") return `finish ${chunk.result.status}`;
  if (chunk.type === "step_end") return `end ${chunk.step} ${chunk.status}`;
  if (chunk.type !== "chunk") return `${chunk.type} ${chunk.step}`;
  return `${chunk.step}: ${chunk.chunk.type === "text" ? chunk.chunk.text : chunk.chunk.type}`;
}

async function readAll(stream: AsyncIterable<WorkflowChunk<unknown>>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of stream) chunks.push(told(chunk));
  return chunks;
}

/** A workflow whose agent has its first word at once, and its second much later. */
function slowFlow() {
  const model = new ScriptedModel({ text: "one two three", chunkDelayMs: 600_000 });
  const steps = [{ name: "say", agent: new Agent({ name: "a", model }), inputFrom: () => "go" }];
  return { model, flow: new Workflow({ name: "flow", initialState: {}, steps }) };
}

describe("the stream of a workflow", () => {
  it("has the events of each step, its agent's chunks, and the result at the end", async () => {
    const agent = new Agent({ name: "a", model: new ScriptedModel("Dear all") });
    const flow = new Workflow({
      name: "flow",
      initialState: { draft: "", n: 0 },
      steps: [
        { name: "draft", agent, inputFrom: () => "go" },
        { name: "count", run: ({ n }) => ({ n: n + 1 }) },
        { name: "never", condition: () => false, steps: [] },
      ],
    });
    const chunks: WorkflowChunk<{ draft: string; n: number }>[] = [];
    const stream = flow.stream();
    for await (const chunk of stream) chunks.push(chunk);

    expect(chunks.map(told)).toEqual([
      "step_start draft",
      "draft: Dear ",
      "draft: all",
      "draft: finish",
      "end draft completed",
      "step_start count",
      "end count completed",
      "step_start never",
      "end never skipped",
      "finish completed",
    ]);
    const last = chunks.at(-1);
    expect(last?.type === "finish" && last.result).toMatchObject({
      runId: stream.runId,
      state: { draft: "Dear all", n: 1 },
    });
  });

  it("starts with the first read, and waits for a slow reader", async () => {
    const model = new ScriptedModel("one two three four five");
    const asked = vi.fn<() => string>(() => "go");
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      steps: [{ name: "say", agent: new Agent({ name: "a", model }), inputFrom: asked }],
    });
    const chunks = flow.stream()[Symbol.asyncIterator]();
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).not.toHaveBeenCalled();

    for (let read = 0; read < 3; read++) await chunks.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(model.calls[0]?.end).toBe("running");
    for (let step = await chunks.next(); step.done !== true; step = await chunks.next());
    expect(model.calls[0]?.end).toBe("completed");
  });

  it("has the events of parallel steps as they come", async () => {
    const [fast, slow] = [new ScriptedModel("quick"), new ScriptedModel({ text: "late", delayMs: 10 })];
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      steps: [
        {
          name: "block",
          parallel: [
            { name: "slow", agent: new Agent({ name: "a", model: slow }), inputFrom: () => "go" },
            { name: "fast", agent: new Agent({ name: "b", model: fast }), inputFrom: () => "go" },
          ],
        },
      ],
    });
    const chunks = await readAll(flow.stream());

    expect(chunks.indexOf("end fast completed")).toBeLessThan(chunks.indexOf("slow: late"));
    expect(chunks.at(-1)).toBe("finish completed");
  });

  it("has an event when a step is repeated", async () => {
    const model = new ScriptedModel({ text: "half", error: new Error("broken") }, "whole");
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      retryPolicy: { maxRetries: 1, backoffMs: 0 },
      steps: [{ name: "say", agent: new Agent({ name: "a", model }), inputFrom: () => "go" }],
    });

    expect(await readAll(flow.stream())).toEqual([
      "step_start say",
      "say: half",
      "step_retry say",
      "say: whole",
      "say: finish",
      "end say completed",
      "finish completed",
    ]);
  });

  it("ends with the error, after all events", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      steps: [{ name: "block", parallel: [{ name: "broken", run: async () => await Promise.reject(new Error("x")) }] }],
    });
    const chunks: string[] = [];
    const read = async () => {
      for await (const chunk of flow.stream()) chunks.push(told(chunk));
    };

    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WorkflowError);
    expect((error as WorkflowError).fields).toEqual({ step: "broken" });
    expect(chunks).toEqual(["step_start block", "step_start broken", "end broken error", "end block error"]);
  });

  it("aborts the steps parallel to a failed one at once, however slow the reader", async () => {
    const model = new ScriptedModel({ hang: true });
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      steps: [
        {
          name: "block",
          parallel: [
            { name: "agent", agent: new Agent({ name: "a", model }), inputFrom: () => "go" },
            {
              name: "broken",
              run: async () => {
                await vi.waitUntil(() => model.calls.length === 1);
                throw new Error("x");
              },
            },
          ],
        },
      ],
    });
    const chunks = flow.stream()[Symbol.asyncIterator]();
    for (let read = 0; read < 3; read++) await chunks.next();

    await vi.waitUntil(() => model.calls[0]?.end === "cancelled");
    expect(model.calls).toHaveLength(1);
    await chunks.return?.();
  });

  it("fails with the text of its agent up to the failure", async () => {
    const model = new ScriptedModel({ text: "Half a ", error: new Error("broken") });
    const steps = [{ name: "say", agent: new Agent({ name: "a", model }), inputFrom: () => "go" }];
    const flow = new Workflow({ name: "flow", initialState: {}, steps });

    await expect(readAll(flow.stream())).rejects.toMatchObject({ output: { text: "Half a " } });
  });

  it("is cancelled when the reader leaves, also while a read waits", async () => {
    const { model, flow } = slowFlow();
    const ends: string[] = [];
    flow.eventBus.on("run.error", ({ error }) => ends.push(error.code));
    const chunks = flow.stream()[Symbol.asyncIterator]();
    await chunks.next();
    await chunks.next();
    const waiting = chunks.next().catch((error: unknown) => error);
    await chunks.return?.();

    expect(await waiting).toMatchObject({ code: "cancelled" });
    expect(ends).toEqual(["cancelled"]);
    await vi.waitUntil(() => model.calls[0]?.end === "cancelled");
  });

  it("is cancelled by leaving its loop, by cancel() and by the caller's signal", async () => {
    const abort = new AbortController();
    const ways: ((stream: ReturnType<Workflow<object>["stream"]>) => void)[] = [
      (stream) => stream.cancel("enough"),
      () => abort.abort(),
    ];
    for (const end of ways) {
      const { model, flow } = slowFlow();
      const stream = flow.stream({ signal: abort.signal });
      const read = readAll(stream);
      await vi.waitUntil(() => model.calls.length === 1);
      end(stream);

      await expect(read).rejects.toMatchObject({ code: "cancelled" });
      await vi.waitUntil(() => model.calls[0]?.end === "cancelled");
    }
    const { model, flow } = slowFlow();
    const ends: string[] = [];
    flow.eventBus.on("run.error", ({ error }) => ends.push(error.code));
    for await (const chunk of flow.stream()) if (chunk.type === "chunk") break;

    expect(ends).toEqual(["cancelled"]);
    await vi.waitUntil(() => model.calls[0]?.end === "cancelled");
  });

  it("runs nothing when it is left before the first read", async () => {
    const { model, flow } = slowFlow();
    const chunks = flow.stream()[Symbol.asyncIterator]();
    await chunks.return?.();

    expect(await chunks.next()).toEqual({ done: true, value: undefined });
    expect(model.calls).toHaveLength(0);
  });
});
