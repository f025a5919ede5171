import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import type { Guardrail } from "../guardrail/guardrail.ts";
import { openJournal } from "../journal/test/journals.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import { testRun } from "../run/test/test-run.ts";
import { compileStructuredSchema } from "../../schema/compile-schema.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { smallTool } from "../tool/test/small-tool.ts";
import { answerByTool, findEndingResult, guardAnswer } from "./answer-by-tool.ts";
import type { LoopPlan } from "./loop-plan.ts";

const resultOf = (toolName: string, more: Partial<ToolCallResult> = {}): ToolCallResult => {
  return { toolCallId: `id-${toolName}`, toolName, args: {}, result: "done", durationMs: 1, ...more };
};

describe("findEndingResult", () => {
  const tools = new ToolSet([
    smallTool("look"),
    smallTool("end", { endsRun: true }),
    smallTool("other", { endsRun: true }),
  ]);
  const [look, end, other] = ["look", "end", "other"].map((name) => resultOf(name)) as [
    ToolCallResult,
    ToolCallResult,
    ToolCallResult,
  ];

  it.each<[results: ToolCallResult[], found: ToolCallResult | undefined]>([
    [[], undefined],
    [[look, resultOf("gone")], undefined],
    [[look, end], end],
    [[other, end], other],
    [[resultOf("end", { error: "It failed." }), other], other],
    [[resultOf("end", { error: "" })], undefined],
  ])("is the first that ends the run and did not fail", (results, found) => {
    expect(findEndingResult(tools, results)).toBe(found);
    expect(findEndingResult(new ToolSet([smallTool("look")]), results)).toBeUndefined();
  });
});

/** The chunks and the reason of an answer by this result, and its run. */
async function answered(result: ToolCallResult["result"], more: Partial<LoopPlan> = {}) {
  const run = testRun();
  const plan = { run, structured: undefined, outputGuardrails: [], ...more } as unknown as LoopPlan;
  const chunks: unknown[] = [];
  const answer = answerByTool(plan, resultOf("end", { result }));
  for (let step = await answer.next(); ; step = await answer.next()) {
    if (step.done === true) return { run, chunks, reason: step.value };
    chunks.push(step.value);
  }
}

const replace = (by: string): Guardrail => ({ name: "g", check: () => ({ pass: true, replace: by }) });
const structured = compileStructuredSchema(z.object({ sum: z.number().transform((sum) => sum + 1) }));

describe("answerByTool", () => {
  it.each<[result: ToolCallResult["result"], more: Partial<LoopPlan>, text: string, value: unknown]>([
    ["rain", {}, "rain", null],
    [
      [
        { type: "text", text: "rain" },
        { type: "image", data: "aGk=" },
      ],
      {},
      "rain",
      null,
    ],
    ["rain", { outputGuardrails: [replace("sun")] }, "sun", null],
    ['{"sum":1}', { structured }, '{"sum":1}', { sum: 2 }],
    ["rain", { structured, outputGuardrails: [replace('{"sum":2}')] }, '{"sum":2}', { sum: 3 }],
  ])("makes the text of a result the answer: %j", async (...[result, more, text, value]) => {
    const { run, chunks, reason } = await answered(result, more);

    expect([chunks, reason]).toEqual([[{ type: "text", text }], "stop"]);
    expect([run.text, run.structured]).toEqual([text, value]);
    expect(run.messages).toEqual([{ role: "assistant", content: text }]);
  });

  it.each<[result: string, guardrails: Guardrail[]]>([
    ["", []],
    ["rain", [replace("")]],
  ])("shows and records no empty answer", async (result, outputGuardrails) => {
    const { run, chunks, reason } = await answered(result, { outputGuardrails });

    expect([chunks, reason, run.text, run.messages]).toEqual([[], "stop", "", []]);
  });

  it("ends the run with a refusal, and with a value that does not fit", async () => {
    const refuses: Guardrail = { name: "g", check: () => ({ pass: false, reason: "No rain." }) };

    await expect(answered("rain", { outputGuardrails: [refuses] })).rejects.toThrow("No rain.");
    await expect(answered("{}", { structured })).rejects.toMatchObject({ name: "SchemaError" });
  });
});

describe("guardAnswer", () => {
  it("asks the guardrails once for each answer of a durable run, in all attempts", async () => {
    const check = vi.fn<Guardrail["check"]>((text) => ({ pass: true, replace: `${text}!` }));
    const journal = await openJournal();
    const run = testRun({}, { settings: { ...resolveRunOpts({}), steps: journal } });
    const plan = { run, outputGuardrails: [{ name: "g", check }] } as unknown as LoopPlan;
    const answers = [await guardAnswer(plan, "a"), await guardAnswer(plan, "b"), await guardAnswer(plan, "a")];

    expect(answers).toEqual(["a!", "b!", "a!"]);
    expect(check.mock.calls).toEqual([
      ["a", run.context],
      ["b", run.context],
    ]);
  });

  it("asks them each time in another run, and leaves an answer without guardrails out of the journal", async () => {
    const check = vi.fn<Guardrail["check"]>(() => ({ pass: true }));
    const run = testRun();
    const guarded = { run, outputGuardrails: [{ name: "g", check }] } as unknown as LoopPlan;
    await guardAnswer(guarded, "a");
    await guardAnswer(guarded, "a");
    expect(check).toHaveBeenCalledTimes(2);

    const journal = await openJournal();
    const begin = vi.spyOn(journal, "begin");
    const durable = testRun({}, { settings: { ...resolveRunOpts({}), steps: journal } });
    expect(await guardAnswer({ run: durable, outputGuardrails: [] } as unknown as LoopPlan, "a")).toBe("a");
    expect(begin).not.toHaveBeenCalled();
  });
});
