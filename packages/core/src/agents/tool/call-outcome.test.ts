import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { EventBus } from "../../base/events/event-bus.ts";
import { entriesIn, openJournal } from "../journal/test/journals.ts";
import { deriveContext } from "../run/derive-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import { testRun } from "../run/test/test-run.ts";
import type { ToolContext, ToolDef } from "../run/tool.ts";
import { compileStructuredSchema } from "../../schema/compile-schema.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { ApprovalHook, ToolHook } from "./approve-call.ts";
import { onStoredResult } from "./child-run-tool.ts";
import { executeToolCalls } from "./execute-tool-calls.ts";
import { batchOf, callOf, contextOf, resultOf, resultsOf } from "./test/batch.ts";
import { abandonBatch, attemptBatch } from "./test/durable-batch.ts";
import { smallTool } from "./test/small-tool.ts";

const failed = (problem: string) => ({ result: problem, error: problem });
const clientTool: ToolDef = { name: "choose", description: "Chooses.", parameters: z.object({ of: z.number() }) };

describe("a call of a tool that is not there", () => {
  it.each([
    ["snow", ["rain", "sun"], 'Tool "snow" not found. Expected one of rain, sun.'],
    ["snow", [], 'Tool "snow" not found. There are no tools.'],
    ['s"\n', ["rain"], String.raw`Tool "s\"\n" not found. Expected one of rain.`],
    ["n".repeat(64), ["rain"], `Tool "${"n".repeat(64)}" not found. Expected one of rain.`],
    ["n".repeat(65), ["rain"], `Tool "${"n".repeat(64)}" not found. Expected one of rain.`],
  ])("fails, and names those that are: %s", async (name, names, problem) => {
    const batch = batchOf(
      names.map((tool) => smallTool(tool)),
      [callOf(name)],
    );

    expect(await resultOf(batch)).toMatchObject(failed(problem));
  });
});

describe("a call that the client has to execute, in a run that cannot ask it", () => {
  it("fails, with one warning in the run, and asks nobody for approval [tool.client-alone]", async () => {
    const onApproval = vi.fn<ApprovalHook>(() => ({ approved: true }));
    const run = testRun();
    const warnings: RunEvents["run.warning"][] = [];
    run.eventBus.on("run.warning", (warning) => void warnings.push(warning));
    const calls = [callOf("choose", { of: 1 }, "1"), callOf("choose", { of: 2 }, "2")];
    const tools = [{ ...clientTool, needsApproval: true }];
    const results = await resultsOf(batchOf(tools, calls, { context: run.context, onApproval }));

    const problem = failed("The tool choose is not available in this run.");
    expect(results).toMatchObject([problem, problem]);
    expect(warnings).toEqual([
      {
        runId: run.runId,
        sessionId: run.context.sessionId,
        code: "client_tool_unavailable",
        message: expect.stringMatching(/^The tool choose has no execute: .* or give the tool execute\.$/),
        fields: { toolName: "choose" },
      },
    ]);
    expect(onApproval).not.toHaveBeenCalled();
  });

  it("is told of wrong arguments first", async () => {
    expect((await resultOf(batchOf([clientTool], [callOf("choose", { of: "x" })]))).error).toMatch(
      /^The arguments of choose do not fit its parameters:\n.*of.*number/,
    );
  });
});

describe("a call whose arguments cannot be checked", () => {
  it("fails, and the log has the reason without the keys of the run", async () => {
    const lines: string[] = [];
    const parameters = z.object({}).refine(() => {
      throw new Error("no schema for sk-key-0123456789");
    });
    const context = contextOf({ lines, apiKeys: { bank: "sk-key-0123456789" } });
    const result = await resultOf(batchOf([smallTool("pay", { parameters })], [callOf("pay")], { context }));

    expect(result).toMatchObject({
      result: expect.stringMatching(/^The tool pay could not be called: no schema for (?!sk-key)/),
      error: "The tool pay could not be called.",
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/"level":"warn".*The tool pay could not be called\..*no schema for (?!sk-key)/);
  });
});

describe("the progress of a call", () => {
  it("is told with the ids of run and call, in values that are no one else's", async () => {
    const progress = { done: [1] };
    const tool = smallTool("dig", { execute: (_, context) => ((context as ToolContext).report(progress), "dug") });
    const eventBus = new EventBus<RunEvents>();
    const events: unknown[] = [];
    eventBus.on("tool.progress", (event) => {
      events.push(structuredClone(event));
      Object.assign(event.progress as object, { done: "changed" });
    });
    const context = contextOf({ parentRunId: "run-0" });
    const updates: unknown[] = [];
    const batch = batchOf([tool], [callOf("dig", {}, "1")], { eventBus, context });
    for await (const update of executeToolCalls(batch)) updates.push(update);

    const facts = { toolCallId: "1", toolName: "dig", progress: { done: [1] } };
    expect(events).toEqual([{ runId: "run-1", sessionId: "session-1", parentRunId: "run-0", ...facts }]);
    expect(updates).toEqual([facts, expect.objectContaining({ toolCallId: "1", result: "dug" })]);
  });
});

describe("a call of a tool that ends the run", () => {
  const answerSchema = compileStructuredSchema(z.object({ sum: z.number() }));
  const misfit = /^The result of \w+ does not fit the schema of the answer:\n/;

  it.each([
    [true, "{}", misfit],
    [true, '{"sum":1}', undefined],
    [false, "{}", undefined],
  ])("must have a result that can be the answer: endsRun %s, %s", async (endsRun, result, error) => {
    const tool = smallTool("add", { endsRun, execute: () => result });
    const { error: told } = await resultOf(batchOf([tool], [callOf("add")], { answerSchema }));

    expect(told ?? "").toMatch(error ?? /^$/);
  });

  it("must have one also where the client executes it", async () => {
    const batch = { tools: [{ ...clientTool, endsRun: true }], calls: [callOf("choose", { of: 1 })], answerSchema };
    const storage = new InMemoryStorage();
    await attemptBatch(storage, batch);
    const { results } = await attemptBatch(storage, batch, { "t.0.0.input": { result: {} } });

    expect(results[0]?.error).toMatch(misfit);
  });

  it("must have one also where verify has found it", async () => {
    const storage = new InMemoryStorage();
    const started = Promise.withResolvers<void>();
    const verify = async () => await Promise.resolve({ result: { sum: "one" } });
    const tool = smallTool("add", { endsRun: true, verify });
    const execute = async () => (started.resolve(), await new Promise<string>(() => {}));
    abandonBatch(storage, { tools: [{ ...tool, execute }], calls: [callOf("add")], answerSchema });
    await started.promise;
    const { results } = await attemptBatch(storage, { tools: [tool], calls: [callOf("add")], answerSchema });

    expect(results[0]?.error).toMatch(misfit);
  });
});

describe("a call that was approved with other arguments", () => {
  const attempts = async (tool: ToolDef, answer: Json, onToolCall?: ToolHook) => {
    const storage = new InMemoryStorage();
    const batch = { tools: [tool], calls: [callOf("pay", { a: 1 })], ...(onToolCall && { onToolCall }) };
    await attemptBatch(storage, batch);
    return await attemptBatch(storage, batch, { "t.0.0": answer });
  };
  const paying = (more: Partial<ToolDef>) => ({ ...smallTool("pay", { needsApproval: true }), ...more });

  it("has a note of at most 2,048 bytes of them for the model", async () => {
    const args = { text: "é".repeat(3000) };
    const { results } = await attempts(paying({}), { approved: true, args });

    const shown = `{"text":"${"é".repeat(1019)}`;
    expect(results).toMatchObject([{ result: `done\n[approved with other arguments: ${shown}]`, args }]);
  });

  it("has the note when it fails, also where its tool ends the run", async () => {
    const execute = () => Promise.reject(new Error("no bank"));
    const { results } = await attempts(paying({ endsRun: true, execute }), { approved: true, args: { a: 2 } });

    expect(results).toMatchObject([
      {
        result: 'The tool pay failed: no bank\n[approved with other arguments: {"a":2}]',
        error: "The tool pay failed.",
        args: { a: 2 },
      },
    ]);
  });

  it("is denied also where its tool needs no approval by then", async () => {
    const storage = new InMemoryStorage();
    await attemptBatch(storage, { tools: [paying({})], calls: [callOf("pay")] });
    const batch = { tools: [smallTool("pay")], calls: [callOf("pay")] };
    const { results } = await attemptBatch(storage, batch, { "t.0.0": { approved: false } });

    expect(results).toMatchObject([failed("The call of pay was denied.")]);
  });

  it("is refused when they do not fit, or when the hook denies them", async () => {
    const parameters = z.object({ a: z.number() });
    const denies: ToolHook = (_, { arguments: { a } }) => (a === 2 ? { deny: "not 2" } : undefined);
    const wrong = await attempts(paying({ parameters }), { approved: true, args: { a: "x" } });
    const denied = await attempts(paying({ parameters }), { approved: true, args: { a: 2 } }, denies);

    expect(wrong.results[0]?.error).toMatch(/^The arguments of pay do not fit its parameters:\n/);
    expect(denied.results).toMatchObject([failed("The call of pay was denied: not 2")]);
  });
});

describe("the entry of a call in the journal", () => {
  it.each<[effect: ToolDef["effect"], entry: string | undefined]>([
    [undefined, "once"],
    ["once", "once"],
    ["idempotent", "idempotent"],
    ["pure", undefined],
  ])("has its own arguments, its effect and its key: %s", async (effect, entry) => {
    const storage = new InMemoryStorage();
    const tool = smallTool("pay", { effect, parameters: z.object({ a: z.number(), b: z.number().default(2) }) });
    const { run } = await attemptBatch(storage, { tools: [tool], calls: [callOf("pay", { a: 1 })], roundtrip: 3 });
    const entries = (await entriesIn(storage)).filter(({ t }) => t === "call");

    const at: unknown = expect.any(Number);
    const facts = { t: "call", at, step: "t/3/0", tool: "pay", args: { a: 1 }, key: `${run.runId}/3/0` };
    expect(entries).toEqual(entry === undefined ? [] : [{ ...facts, effect: entry }]);
  });

  it("is not there for a tool whose calls are child runs", async () => {
    const storage = new InMemoryStorage();
    const tool = { ...smallTool("ask"), [onStoredResult]: () => {} };
    await attemptBatch(storage, { tools: [tool], calls: [callOf("ask")] });

    expect((await entriesIn(storage)).map(({ t }) => t)).toEqual(["attempt", "done"]);
  });

  it("makes nothing of a call whose run ends while it is stored", async () => {
    const storage = new InMemoryStorage();
    const run = testRun({ steps: await openJournal(storage) });
    const abort = new AbortController();
    const execute = vi.fn<() => string>(() => "paid");
    const insertAll = storage.insertAll.bind(storage);
    storage.insertAll = async (records) => {
      abort.abort();
      return await insertAll(records);
    };
    const context = deriveContext(run.context, { signal: abort.signal });
    const batch = batchOf([smallTool("pay", { execute })], [callOf("pay")], { context });

    await expect(resultsOf(batch)).rejects.toMatchObject({ code: "cancelled" });
    await new Promise(setImmediate);
    expect(execute).not.toHaveBeenCalled();
  });
});
