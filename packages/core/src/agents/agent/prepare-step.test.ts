import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import { testRun } from "../run/test/test-run.ts";
import { callPrepareStep } from "./prepare-step.ts";
import type { PrepareStep, StepRequest } from "./prepare-step.ts";
import { answering } from "./test/agents.ts";

const messages: ModelMessage[] = [
  { role: "user", content: [{ type: "text", text: "Hi" }] },
  { role: "assistant", content: "Hm", vendorState: { providerId: "v", modelId: "m", items: [] } },
];
const call = async (prepareStep: unknown, more: Partial<StepRequest> = {}) =>
  await callPrepareStep(prepareStep as PrepareStep, {
    run: testRun(),
    index: 2,
    messages,
    toolNames: ["look", "dig"],
    ...more,
  });

describe("callPrepareStep", () => {
  it("shows the call, in copies without state of vendors", async () => {
    const run = testRun();
    run.meter.add({ promptTokens: 1, completionTokens: 2, totalTokens: 3 });
    const before = structuredClone(messages);
    const prepareStep = vi.fn<PrepareStep>(({ messages: shown, usage }) => {
      Object.assign(usage, { totalTokens: 9 });
      const [part] = [shown[0]?.content ?? []].flat();
      Object.assign(part as object, { text: "changed" });
      shown.pop();
    });
    await call(prepareStep, { run });

    expect(prepareStep).toHaveBeenCalledOnce();
    expect(prepareStep.mock.calls[0]?.[0]).toMatchObject({ index: 2, context: run.context });
    expect(prepareStep.mock.calls[0]?.[0]?.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "changed" }] },
    ]);
    expect(messages).toStrictEqual(before);
    expect(run.meter.total.totalTokens).toBe(3);
    const seen = vi.fn<PrepareStep>();
    await call(seen);
    expect(seen.mock.calls[0]?.[0]?.messages[1]).toStrictEqual({ role: "assistant", content: "Hm" });
  });

  const model = answering();

  it.each<[returned: unknown, changes: object]>([
    [undefined, {}],
    [null, {}],
    [{}, {}],
    [
      { model, instructions: "", tools: [], toolChoice: "none", stop: false },
      { model, instructions: "", tools: [], toolChoice: "none", stop: false },
    ],
    [{ tools: ["dig", "look", "dig"] }, { tools: ["dig", "look", "dig"] }],
    [{ toolChoice: { tool: "look" }, stop: undefined }, { toolChoice: { tool: "look" } }],
  ])("returns the changes: %j", async (returned, changes) => {
    expect(await call(() => returned)).toStrictEqual(changes);
    expect(await call(async () => await Promise.resolve(returned))).toStrictEqual(changes);
  });

  it.each<[returned: unknown, message: string]>([
    ["stop", "prepareStep() must be an object, got a string."],
    [[], "prepareStep() must be an object, got an array."],
    [{ stop: "yes" }, "prepareStep().stop must be true or false, got a string."],
    [{ instructions: null }, "prepareStep().instructions must be a string, got null."],
    [{ model: {} }, expect.stringContaining("prepareStep().model must be a model provider") as never],
    [{ tools: "look" }, expect.stringContaining("prepareStep().tools must be") as never],
    [{ tools: [""] }, expect.stringContaining("prepareStep().tools") as never],
    [{ toolChoice: "any" }, expect.stringContaining("prepareStep().toolChoice must be") as never],
    [{ message: [] }, expect.stringContaining('Unknown option "message" of prepareStep()') as never],
    [
      { tools: ["look", "Dig"] },
      'prepareStep().tools names "Dig", which is not a tool here. Expected some of look and dig.',
    ],
    [
      { tools: ["x".repeat(65)] },
      `prepareStep().tools names "${"x".repeat(64)}", which is not a tool here. Expected some of look and dig.`,
    ],
  ])("refuses wrong changes, with the number of the call: %j", async (returned, message) => {
    const place = "prepareStep before model call 2 failed: ";
    const error = (await call(() => returned).catch((thrown: unknown) => thrown)) as TroupeError;

    expect(error.code).toBe("invalid_config");
    expect([error.message.slice(0, place.length), error.message.slice(place.length)]).toEqual([place, message]);
  });

  it("says that there are no tools", async () => {
    await expect(call(() => ({ tools: ["look"] }), { toolNames: [] })).rejects.toThrow(
      'prepareStep().tools names "look", which is not a tool here. There are no tools.',
    );
  });

  it.each<[thrown: unknown, code: string, fields: object]>([
    [new Error("down"), "internal", {}],
    [
      new TroupeError("rate_limited", "down", { fields: { retryAfterMs: 5 } }),
      "rate_limited",
      expect.any(Object) as object,
    ],
    ["down", "internal", {}],
  ])("fails with what it throws as the cause, and names the call once: %s", async (thrown, code, fields) => {
    const error = await call(() => {
      throw thrown;
    }).catch((caught: unknown) => caught);

    expect(error).toMatchObject({
      code,
      message: "prepareStep before model call 2 failed: down",
      cause: thrown,
      fields,
    });
  });

  it("ends with the reason of the run when that ends, whatever it does then", async () => {
    const reason = new TroupeError("cancelled", "Over.");
    const hanging = testRun();
    const waiting = call(async () => await new Promise(() => {}), { run: hanging });
    hanging.abort(reason);
    await expect(waiting).rejects.toBe(reason);

    const failing = testRun();
    const fails = () => {
      failing.abort(reason);
      throw new Error("late");
    };
    await expect(call(fails, { run: failing })).rejects.toBe(reason);
  });
});
