import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ModelError } from "../../base/errors/model-error.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { readUntilEnd } from "../run/test/small-run.ts";
import { Agent } from "./agent.ts";
import { callOf, look, scripted, StreamingModel } from "./test/agents.ts";

const busy = () => ({ error: new ModelError({ providerId: "scripted", status: 529 }) });
const wrong = () => ({ error: new ModelError({ providerId: "scripted", status: 400 }) });

describe.each(["run", "stream"] as const)("the retry of an agent (%s)", (way) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const settled = async ({ agent }: { agent: Agent }) => {
    const outcome = (way === "run" ? agent.run("Hi") : agent.stream("Hi").output).then(
      ({ status, text, usage }) => ({ status, text, tokens: usage.totalTokens }),
      ({ code }: { code: string }) => code,
    );
    await vi.advanceTimersByTimeAsync(60_000);
    return await outcome;
  };

  it("repeats a model call that may yet succeed, three times by default [run.retry-inside] [agent.retry]", async () => {
    const lucky = scripted([busy(), busy(), busy(), "Hi."]);
    const unlucky = scripted([busy(), busy(), busy(), busy(), "Hi."]);

    expect(await settled(lucky)).toEqual({ status: "completed", text: "Hi.", tokens: 15 });
    expect(await settled(unlucky)).toBe("model_failed");
    expect([lucky, unlucky].map(({ model }) => model.calls.length)).toEqual([4, 4]);
  });

  it("repeats as configured [agent.retry]", async () => {
    const never = scripted([busy(), "Hi."], { retry: { maxRetries: 0 } });
    const always = scripted([wrong(), "Hi."], { retry: { retryableErrors: () => true } });

    expect(await settled(never)).toBe("model_failed");
    expect(await settled(always)).toMatchObject({ status: "completed" });
  });

  it("does not repeat a lasting failure", async () => {
    const setUp = scripted([wrong(), "Hi."]);

    expect(await settled(setUp)).toBe("model_failed");
    expect(setUp.model.calls).toHaveLength(1);
  });

  it("repeats one call of a run and executes no tool twice", async () => {
    const setUp = scripted([busy(), { toolCalls: [callOf("1")] }, busy(), busy(), "Done."], { tools: [look] });
    const calls: string[] = [];
    setUp.agent.eventBus.on("tool.call", ({ toolCallId }) => void calls.push(toolCallId));

    expect(await settled(setUp)).toMatchObject({ text: "Done.", tokens: 30 });
    expect(calls).toEqual(["1"]);
  });

  it("stops waiting when the run is cancelled", async () => {
    const { agent, model } = scripted([busy(), "Hi."]);
    const stream = agent.stream("Hi");
    const outcome = stream.output.catch(({ code }: { code: string }) => code);
    await vi.advanceTimersByTimeAsync(0);
    stream.cancel();

    expect(await outcome).toBe("cancelled");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(model.calls).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the retry of a stream", () => {
  it("ends with the first chunk", async () => {
    for (const first of [{ text: ["Take "] }, { thinking: "hm" }, { toolCalls: [callOf("1")] }]) {
      const { agent, model } = scripted([{ ...first, ...busy() }, "Again."], { tools: [look] });
      const { chunks, error } = await readUntilEnd(agent.stream("Hi"));

      expect(chunks.length).toBeGreaterThan(0);
      expect(error).toMatchObject({ code: "model_failed" });
      expect(model.calls).toHaveLength(1);
    }
  });

  it("treats a call that throws at once as one that rejects", async () => {
    let calls = 0;
    const streamAnswer = (): AsyncIterable<StreamChunk> => {
      calls += 1;
      throw new ModelError({ providerId: "p", status: 503 });
    };
    const agent = new Agent({
      name: "a",
      model: new StreamingModel(streamAnswer),
      retry: { maxRetries: 2, initialDelayMs: 0 },
    });

    await expect(agent.stream("Hi").output).rejects.toMatchObject({ code: "model_failed" });
    expect(calls).toBe(3);
  });
});
