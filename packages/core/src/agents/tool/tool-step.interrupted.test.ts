import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { ExecutableTool, ToolDef } from "../run/tool.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ToolHook } from "./approve-call.ts";
import { defineTool } from "./define-tool.ts";
import { callOf } from "./test/batch.ts";
import { abandonBatch, attemptBatch } from "./test/durable-batch.ts";
import { smallTool } from "./test/small-tool.ts";
import { pay } from "./test/pay-tool.ts";

const call = callOf("pay", { amount: 5 }, "1");

/** Executes the call until its tool has been called, and no further, as a process that is killed does. */
async function crashWithin(storage: StorageDriver, tool: ToolDef, answers = {}): Promise<void> {
  const started = Promise.withResolvers<void>();
  const execute = async () => {
    started.resolve();
    return await new Promise<string>(() => {});
  };
  abandonBatch(storage, { tools: [{ ...tool, execute }], calls: [call] }, answers);
  await started.promise;
}

describe("a tool call that was under way when its process ended", () => {
  it.each(["pure", "idempotent"] as const)(
    "is made again with the same idempotency key when its effect is %s [run-log.effect-repeated]",
    async (effect) => {
      const storage = new InMemoryStorage();
      const keys: unknown[] = [];
      const execute: ExecutableTool["execute"] = (_, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        return "done";
      };
      const tool = smallTool("pay", { effect, execute });
      const started = Promise.withResolvers<void>();
      const hanging: ExecutableTool["execute"] = async (args, context) => {
        void execute(args, context);
        started.resolve();
        return await new Promise<string>(() => {});
      };
      abandonBatch(storage, { tools: [{ ...tool, execute: hanging }], calls: [call] });
      await started.promise;
      const { results, events } = await attemptBatch(storage, { tools: [tool], calls: [call] });

      expect(results).toMatchObject([{ result: "done" }]);
      expect(keys).toHaveLength(2);
      expect(keys[0]).toBe(keys[1]);
      expect(events.at(-1)).toBe("tool.result 1");
    },
  );

  it("is not made again when its effect is once: the run asks what happened [run-log.effect-once] [run-log.doubt]", async () => {
    const storage = new InMemoryStorage();
    const { tool, paid } = pay();
    await crashWithin(storage, tool);
    const asked = await attemptBatch(storage, { tools: [tool], calls: [call] });

    expect(asked.journal.durable.stopped).toBe("suspended");
    expect(asked.waits).toEqual([
      {
        id: "t.0.0.doubt",
        kind: "doubt",
        toolCallId: "1",
        about: { toolName: "pay", args: { amount: 5, to: "Ada" }, idempotencyKey: `${asked.run.runId}/0/0` },
        askedAt: expect.any(Number),
      },
    ]);
    expect(asked.results).toEqual([]);
    expect(asked.events).toEqual([]);
    expect(paid).not.toHaveBeenCalled();
  });

  it.each<[choice: string, answer: Json, expected: Partial<ToolCallResult>]>([
    ["happened", { choice: "happened", result: { id: 7 } }, { result: '{"id":7}' }],
    ["again", { choice: "again" }, { result: "paid 5" }],
    ["giveUp", { choice: "giveUp" }, { error: "The call of pay was given up: it is unknown if it took place." }],
    ["of another form", "again", { error: expect.stringMatching(/^It is unknown if the call of pay took place/) }],
  ])("goes on as the answer says: %s [run-log.doubt]", async (choice, answer, expected) => {
    const storage = new InMemoryStorage();
    const { tool, paid } = pay();
    await crashWithin(storage, tool);
    const { results } = await attemptBatch(storage, { tools: [tool], calls: [call] }, { "t.0.0.doubt": answer });

    expect(results).toMatchObject([expected]);
    expect(results[0]?.error).toEqual(expected.error);
    expect(paid).toHaveBeenCalledTimes(choice === "again" ? 1 : 0);
  });

  it("is asked about anew each time that it was cut off [run-log.effect-once]", async () => {
    const storage = new InMemoryStorage();
    const { tool, paid } = pay();
    const again = { "t.0.0.doubt": { choice: "again" } };
    await crashWithin(storage, tool);
    await crashWithin(storage, tool, again);
    const asked = await attemptBatch(storage, { tools: [tool], calls: [call] }, again);
    const happened = { ...again, "t.0.0.2.doubt": { choice: "happened", result: "paid" } };
    const { results } = await attemptBatch(storage, { tools: [tool], calls: [call] }, happened);

    expect(asked.waits.map(({ id }) => id)).toEqual(["t.0.0.2.doubt"]);
    expect(results).toMatchObject([{ result: "paid" }]);
    expect(paid).not.toHaveBeenCalled();
  });

  it("has the result that verify finds, by the idempotency key and the arguments [run-log.verify]", async () => {
    const storage = new InMemoryStorage();
    const verify = vi.fn<NonNullable<ToolDef["verify"]>>(
      async () => await Promise.resolve({ result: { receipt: 12 } }),
    );
    const { tool, paid } = pay({ verify });
    await crashWithin(storage, tool);
    const { results, run } = await attemptBatch(storage, { tools: [tool], calls: [call] });

    expect(results).toMatchObject([{ result: '{"receipt":12}', args: { amount: 5 } }]);
    expect(verify.mock.calls).toEqual([[`${run.runId}/0/0`, { amount: 5, to: "Ada" }]]);
    expect(paid).not.toHaveBeenCalled();
  });

  it("is made when verify finds that it did not take place [run-log.verify]", async () => {
    const storage = new InMemoryStorage();
    const { tool, paid } = pay({ verify: async () => await Promise.resolve(null) });
    await crashWithin(storage, tool);
    const { results } = await attemptBatch(storage, { tools: [tool], calls: [call] });

    expect(results).toMatchObject([{ result: "paid 5" }]);
    expect(paid).toHaveBeenCalledOnce();
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no bank"))],
    ["returns nothing", () => Promise.resolve(undefined)],
    ["returns a result by itself", () => Promise.resolve("paid")],
    ["takes longer than the tool may", () => new Promise(() => {})],
  ])("is in doubt, with a warning, when verify %s [run-log.verify]", async (_, verify) => {
    const storage = new InMemoryStorage();
    const { tool, paid } = pay({ verify: verify as never, onDoubt: "tell", timeoutMs: 20 });
    await crashWithin(storage, { ...tool, timeoutMs: 60_000 });
    const { results, warnings } = await attemptBatch(storage, { tools: [tool], calls: [call] });

    expect(results[0]?.error).toMatch(/^It is unknown if the call of pay took place/);
    expect(warnings.map(({ code }) => code)).toEqual(["verify_failed"]);
    expect(paid).not.toHaveBeenCalled();
  });

  it("tells the model that the outcome is unknown where onDoubt is tell [run-log.doubt]", async () => {
    const storage = new InMemoryStorage();
    const { tool, paid } = pay({ onDoubt: "tell" });
    await crashWithin(storage, tool);
    const { results, journal } = await attemptBatch(storage, { tools: [tool], calls: [call] });

    expect(results).toMatchObject([
      {
        result:
          "It is unknown if the call of pay took place: its process ended before there was a result. Find out before you call it again.",
      },
    ]);
    expect(journal.durable.stopped).toBeUndefined();
    expect(paid).not.toHaveBeenCalled();
  });

  it("is told as unknown when nobody has answered within waitMs [run-log.wait-until]", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const storage = new InMemoryStorage();
    const { tool } = pay({ waitMs: 5000 });
    await crashWithin(storage, tool);
    const asked = await attemptBatch(storage, { tools: [tool], calls: [call] });
    vi.setSystemTime(Date.now() + 5000);
    const { results } = await attemptBatch(storage, { tools: [tool], calls: [call] });
    vi.useRealTimers();

    expect(asked.waits).toHaveLength(1);
    expect(results[0]?.error).toMatch(/^It is unknown if the call of pay took place/);
  });

  it("is not asked of hook and approver again, who let it pass [run-log.doubt]", async () => {
    const storage = new InMemoryStorage();
    const { tool, paid } = pay({ effect: "idempotent", needsApproval: true });
    await crashWithin(storage, { ...tool, needsApproval: false });
    const onToolCall = vi.fn<ToolHook>(() => ({ deny: "no" }));
    const { results } = await attemptBatch(storage, { tools: [tool], calls: [call], onToolCall });

    expect(results).toMatchObject([{ result: "paid 5" }]);
    expect(onToolCall).not.toHaveBeenCalled();
    expect(paid).toHaveBeenCalledOnce();
  });

  it.each([
    ["is gone", []],
    ["takes other arguments now", [pay({ parameters: z.object({ sum: z.number() }) }).tool]],
    ["is the client's now", [defineTool({ name: "pay", description: "Pays.", parameters: { type: "object" } })]],
  ])("is told as unknown when its tool %s", async (_, tools) => {
    const storage = new InMemoryStorage();
    await crashWithin(storage, pay().tool);
    const { results } = await attemptBatch(storage, { tools, calls: [call] });

    expect(results[0]?.error).toMatch(/^It is unknown if the call of pay took place/);
  });
});
