import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { entriesIn } from "../journal/test/journals.ts";
import type { ExecutableTool, ToolDef } from "../run/tool.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { ApprovalHook, ToolHook } from "./approve-call.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolBatchOptions } from "./execute-tool-calls.ts";
import { callOf } from "./test/batch.ts";
import { abandonBatch, attemptBatch } from "./test/durable-batch.ts";
import { hangingTool, smallTool } from "./test/small-tool.ts";

type Execute = (args: Record<string, unknown>) => string;

const parameters = z.object({ amount: z.number().max(1000), to: z.string().default("Ada") });
const base = { name: "pay", description: "Pays an amount.", parameters };
const call = callOf("pay", { amount: 5 }, "1");

/** A tool that needs an approval, and its calls. */
function guarded(more: Partial<ExecutableTool> = {}) {
  const paid = vi.fn<Execute>((args) => `paid ${String(args["amount"])}`);
  const execute = (args: Record<string, unknown>) => paid(args);
  const tool = defineTool({ ...base, execute, needsApproval: true, ...more });
  return { tool, paid };
}

/** Executes a call in one attempt that waits and a second one with the answer. */
async function answered(
  tool: ToolBatchOptions["tools"] | readonly ExecutableTool[],
  answers: Record<string, Json>,
  more: Partial<Omit<ToolBatchOptions, "tools">> = {},
) {
  const storage = new InMemoryStorage();
  const batch = { tools: tool, calls: [call], ...more };
  const first = await attemptBatch(storage, batch);
  const second = await attemptBatch(storage, batch, answers);
  return { storage, first, second };
}

describe("a call of a durable run that needs an approval", () => {
  it("stops the run until there is an answer [run-log.approval]", async () => {
    const { tool, paid } = guarded();
    const storage = new InMemoryStorage();
    const first = await attemptBatch(storage, { tools: [tool], calls: [call] });

    expect(first.journal.durable.stopped).toBe("suspended");
    const about = { toolName: "pay", args: { amount: 5, to: "Ada" } };
    const argsSchema = expect.objectContaining({ type: "object", required: ["amount"] });
    expect(first.waits).toEqual([
      { id: "t.0.0", kind: "approval", toolCallId: "1", about, argsSchema, askedAt: expect.any(Number) },
    ]);
    expect(first.results).toEqual([]);
    expect(first.events).toEqual(["tool.call 1"]);
    expect(first.lines).toEqual([]);
    expect((await entriesIn(storage)).map(({ t }) => t)).toEqual(["attempt", "wait"]);
    expect(paid).not.toHaveBeenCalled();
  });

  it("is made when it is approved, and told of once [run-log.approval]", async () => {
    const { tool, paid } = guarded();
    const { storage, second } = await answered([tool], { "t.0.0": { approved: true } });

    expect(second.results).toMatchObject([{ result: "paid 5", args: { amount: 5 } }]);
    expect(second.events).toEqual(["tool.result 1"]);
    expect(paid.mock.calls).toEqual([[{ amount: 5, to: "Ada" }]]);
    expect((await entriesIn(storage)).map(({ t }) => t)).toEqual(["attempt", "wait", "attempt", "call", "done"]);
  });

  it("is made with the arguments of the approval, which result, record and log show [run-log.approval-arguments]", async () => {
    const { tool, paid } = guarded();
    const onToolCall = vi.fn<ToolHook>(() => undefined);
    const answer = { approved: true, args: { amount: 3, to: "Bob" } };
    const { storage, second } = await answered([tool], { "t.0.0": answer }, { onToolCall });

    expect(second.results).toMatchObject([
      { result: 'paid 3\n[approved with other arguments: {"amount":3,"to":"Bob"}]', args: { amount: 3, to: "Bob" } },
    ]);
    expect(paid.mock.calls).toEqual([[{ amount: 3, to: "Bob" }]]);
    expect(onToolCall).toHaveBeenLastCalledWith(expect.anything(), { ...call, arguments: { amount: 3, to: "Bob" } });
    expect(await entriesIn(storage)).toContainEqual(
      expect.objectContaining({ t: "call", args: { amount: 3, to: "Bob" } }),
    );
  });

  it("adds the arguments of the approval to parts as a part, and to an answer not at all [run-log.approval-arguments]", async () => {
    const answers = { "t.0.0": { approved: true, args: { amount: 3 } } };
    const parts = guarded({ execute: () => [{ type: "image", data: "aGk=" }] }).tool;
    const ending = guarded({ endsRun: true }).tool;

    expect((await answered([parts], answers)).second.results[0]?.result).toEqual([
      { type: "image", data: "aGk=" },
      { type: "text", text: '[approved with other arguments: {"amount":3}]' },
    ]);
    expect((await answered([ending], answers)).second.results).toMatchObject([
      { result: "paid 3", args: { amount: 3 } },
    ]);
  });

  it("goes on with the arguments of the approval when its process ends during the call [run-log.approval-arguments]", async () => {
    const storage = new InMemoryStorage();
    const { tool, paid } = guarded({ effect: "idempotent" });
    const answers = { "t.0.0": { approved: true, args: { amount: 3 } } };
    const started = Promise.withResolvers<void>();
    const hanging = hangingTool("pay", { ...tool, execute: () => (started.resolve(), new Promise<string>(() => {})) });
    await attemptBatch(storage, { tools: [hanging], calls: [call] });
    abandonBatch(storage, { tools: [hanging], calls: [call] }, answers);
    await started.promise;
    const { results } = await attemptBatch(storage, { tools: [tool], calls: [call] }, answers);

    expect(results).toMatchObject([{ args: { amount: 3 }, result: expect.stringMatching(/^paid 3\n/) }]);
    expect(paid.mock.calls).toEqual([[{ amount: 3, to: "Ada" }]]);
  });

  it.each([
    ["do not fit the schema", { amount: 5000 }, /^The arguments of pay do not fit its parameters:\namount: /],
    ["are refused by onToolCall", { amount: 666 }, /^The call of pay was denied: not 666$/],
    ["are no object", [5], /^The call of pay was denied: The arguments in the approval are no object\.$/],
  ])("is not made when the arguments of the approval %s [run-log.approval-arguments]", async (_, args, error) => {
    const { tool, paid } = guarded();
    const onToolCall: NonNullable<ToolBatchOptions["onToolCall"]> = (_context, asked) =>
      asked.arguments["amount"] === 666 ? { deny: "not 666" } : undefined;
    const { second } = await answered([tool], { "t.0.0": { approved: true, args } }, { onToolCall });

    expect(second.results[0]?.error).toMatch(error);
    expect(paid).not.toHaveBeenCalled();
  });

  it.each<[Json, string]>([
    [{ approved: false, reason: "Too much." }, "The call of pay was denied: Too much."],
    [{ approved: false }, "The call of pay was denied."],
    [{ approved: "true" }, "The call of pay was denied."],
    [null, "The call of pay was denied."],
    ["yes", "The call of pay was denied."],
  ])("is not made when the answer is %j [run-log.approval]", async (answer, error) => {
    const { tool, paid } = guarded();
    const { second } = await answered([tool], { "t.0.0": answer });

    expect(second.results[0]?.error).toBe(error);
    expect(paid).not.toHaveBeenCalled();
  });

  it("keeps to a denial although needsApproval says by then that none is needed [run-log.approval]", async () => {
    const needed = [true, false];
    const { tool, paid } = guarded({ needsApproval: () => needed.shift() ?? false });
    const { second } = await answered([tool], { "t.0.0": { approved: false } });

    expect(second.results[0]?.error).toBe("The call of pay was denied.");
    expect(paid).not.toHaveBeenCalled();
  });

  it("asks hooks.onApproval in place of a wait, where there is one [run-log.approval]", async () => {
    const { tool } = guarded();
    const onApproval = vi.fn<ApprovalHook>(() => ({ approved: true }));
    const { results, waits } = await attemptBatch(new InMemoryStorage(), { tools: [tool], calls: [call], onApproval });

    expect(results).toMatchObject([{ result: "paid 5" }]);
    expect(waits).toEqual([]);
    expect(onApproval).toHaveBeenCalledOnce();
  });

  it("lets the other calls of its batch finish first, whose results are kept [run-log.waiting-beside-others]", async () => {
    const storage = new InMemoryStorage();
    const { tool } = guarded();
    const ends: (() => void)[] = [];
    const execute = vi.fn<() => Promise<string>>(async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return "worked";
    });
    const work = smallTool("work", { execute });
    const batch = {
      tools: [tool, work],
      calls: [call, callOf("work", {}, "2"), callOf("work", {}, "3")],
      maxParallel: 1,
    };
    const first = attemptBatch(storage, batch);
    for (let ended = 0; ended < 2; ended++) {
      await vi.waitFor(() => expect(ends.length).toBeGreaterThan(ended));
      ends[ended]?.();
    }
    const { waits, journal } = await first;
    const second = await attemptBatch(storage, batch, { "t.0.0": { approved: true } });

    expect(journal.durable.stopped).toBe("suspended");
    expect(waits.map(({ id }) => id)).toEqual(["t.0.0"]);
    expect(second.results.map(({ result }) => result)).toEqual(["paid 5", "worked", "worked"]);
    expect(execute).toHaveBeenCalledTimes(2);
  });

  it("waits beside others that wait, each with an answer of its own [run-log.waiting-beside-others]", async () => {
    const storage = new InMemoryStorage();
    const { tool, paid } = guarded();
    const batch = { tools: [tool], calls: [call, callOf("pay", { amount: 6 }, "2")] };
    const first = await attemptBatch(storage, batch);
    const second = await attemptBatch(storage, batch, { "t.0.1": { approved: true } });
    const third = await attemptBatch(storage, batch, { "t.0.1": { approved: true }, "t.0.0": { approved: false } });

    expect(first.waits.map(({ id }) => id)).toEqual(["t.0.0", "t.0.1"]);
    expect(second.waits.map(({ id }) => id)).toEqual(["t.0.0"]);
    expect(third.results.map(({ result }) => result)).toEqual(["The call of pay was denied.", "paid 6"]);
    expect(paid).toHaveBeenCalledOnce();
  });
});

describe("a call of a durable run whose tool has no execute", () => {
  const choose = defineTool({ ...base, maxOutputBytes: 100 });

  it("waits for the client to execute it [run-log.client-tool]", async () => {
    const { first, second } = await answered(batchTools(choose), { "t.0.0.input": { result: { ok: [1] } } });

    expect(first.journal.durable.stopped).toBe("suspended");
    const about = { toolName: "pay", args: { amount: 5, to: "Ada" } };
    expect(first.waits).toEqual([
      { id: "t.0.0.input", kind: "input", toolCallId: "1", about, askedAt: expect.any(Number) },
    ]);
    expect(second.results).toMatchObject([{ result: '{"ok":[1]}' }]);
    expect([...first.events, ...second.events]).toEqual(["tool.call 1", "tool.result 1"]);
    expect([...first.warnings, ...second.warnings]).toEqual([]);
  });

  it("has a result that is bounded like any tool's, with artifacts [run-log.client-tool]", async () => {
    const result = { content: "x".repeat(500), artifacts: [{ type: "file", data: "f" }] };
    const { second } = await answered(batchTools(choose), { "t.0.0.input": { result } });

    expect(second.results[0]?.result).toMatch(/^x{100}\n\[cut here: 400 of 500/);
    expect(second.results[0]?.artifacts).toEqual([{ type: "file", data: "f" }]);
    expect(second.warnings.map(({ code }) => code)).toEqual(["tool_output_cut"]);
  });

  it.each<[Json, RegExp]>([
    [{ error: "No file was chosen." }, /^The tool pay failed: No file was chosen\.$/],
    [{ error: "x".repeat(9000) }, /…$/],
    [{ error: { code: 1 } }, /^The tool pay failed\.$/],
    [{ result: { content: 5, artifacts: "none" } }, /^The tool pay could not be called\.$/],
    [{}, /^The tool pay could not be called\.$/],
    [null, /^The tool pay could not be called\.$/],
  ])("is an error for the model when the answer is %.60j [run-log.client-tool]", async (answer, error) => {
    const { second } = await answered(batchTools(choose), { "t.0.0.input": answer });

    expect(second.results[0]?.error).toMatch(error);
    expect(Buffer.byteLength(second.results[0]?.error ?? "")).toBeLessThanOrEqual(2048);
  });

  it("asks for its approval first, then for its result [run-log.client-tool]", async () => {
    const storage = new InMemoryStorage();
    const batch = { tools: [defineTool({ ...base, needsApproval: true })], calls: [call] };
    const approved = { "t.0.0": { approved: true, args: { amount: 1 } } };
    const first = await attemptBatch(storage, batch);
    const second = await attemptBatch(storage, batch, approved);
    const third = await attemptBatch(storage, batch, { ...approved, "t.0.0.input": { result: "done" } });

    expect(first.waits.map(({ kind }) => kind)).toEqual(["approval"]);
    expect(second.waits).toMatchObject([{ kind: "input", about: { args: { amount: 1, to: "Ada" } } }]);
    expect(third.results).toMatchObject([{ result: 'done\n[approved with other arguments: {"amount":1}]' }]);
  });
});

describe("a wait of a tool call with waitMs", () => {
  afterEach(() => void vi.useRealTimers());

  it.each<[title: string, more: Partial<ToolDef>, error: string]>([
    ["an approval is denied", { needsApproval: true, execute: () => "paid" }, "The call of pay was denied: "],
    ["a client has failed", {}, "The client did not answer the call of pay in time."],
  ])("ends at a time that the first attempt has set: %s [run-log.wait-until]", async (_, more, error) => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    const storage = new InMemoryStorage();
    const batch = { tools: [defineTool({ ...base, ...more, waitMs: 5000 })], calls: [call] };
    const first = await attemptBatch(storage, batch);
    vi.setSystemTime(1_003_000);
    const early = await attemptBatch(storage, batch);
    vi.setSystemTime(1_005_000);
    const late = await attemptBatch(storage, batch);

    expect(first.waits).toMatchObject([{ until: 1_005_000 }]);
    expect(early.waits).toMatchObject([{ until: 1_005_000 }]);
    expect(late.results[0]?.error).toContain(error);
  });
});

/** The tool as the only one of a batch. */
function batchTools(tool: ReturnType<typeof defineTool>): readonly ExecutableTool[] {
  return [tool as ExecutableTool];
}
