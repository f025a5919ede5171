import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { ModelMessage, VendorState } from "../../model/vendor-state.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { testRun } from "../run/test/test-run.ts";
import type { LoopPlan, ModelCall } from "./loop-plan.ts";
import { callWithState, withoutStoredState } from "./replayed-state.ts";
import { answering } from "./test/agents.ts";

const state = (of: string, more: Partial<VendorState> = {}): VendorState => {
  return { providerId: "odd", modelId: "odd-1", items: [of], stored: true, ...more };
};
const answer = (content: string, vendorState?: VendorState): ModelMessage => {
  return { role: "assistant", content, ...(vendorState && { vendorState }) };
};
const refusal = Object.assign(new TroupeError("model_failed", "No."), { status: 400 });
const response = { text: "Hi.", toolCalls: [] } as unknown as ModelResponse;
const hi: StreamChunk = { type: "text", text: "Hi." };

/** Makes a call with these messages to a model that first ends with these errors. */
async function calling(
  messages: ModelMessage[],
  errors: unknown[] = [],
  more: { refused?: VendorState[]; ids?: string[] } = {},
) {
  const run = testRun();
  const warnings: RunEvents["run.warning"][] = [];
  run.eventBus.on("run.warning", (warning) => void warnings.push(warning));
  if (more.refused !== undefined) run.refusedStates = new Set(more.refused);
  const sent: (readonly ModelMessage[])[] = [];
  const left = [...errors];
  const call: LoopPlan["call"] = async function* (_plan, { messages: given }) {
    sent.push(given);
    if (left.length > 0) throw left.shift();
    yield hi;
    return await Promise.resolve(response);
  };
  const model = { ...answering(), ...(more.ids && { providerIds: more.ids }) };
  const chunks: StreamChunk[] = [];
  const read = async () => {
    const generator = callWithState({ run, call } as unknown as LoopPlan, { messages, model } as unknown as ModelCall);
    for (let step = await generator.next(); ; step = await generator.next()) {
      if (step.done === true) return step.value;
      chunks.push(step.value);
    }
  };
  const outcome = await read().catch((error: unknown) => error);
  return { run, sent, chunks, outcome, warnings };
}

describe("callWithState", () => {
  it.each<[messages: ModelMessage[]]>([
    [[]],
    [[answer("a")]],
    [[answer("a", state("s"))]],
    [[answer("a", { ...state("s"), stored: undefined } as unknown as VendorState)]],
  ])("makes a call once that the vendor takes", async (messages) => {
    const { sent, chunks, outcome, run, warnings } = await calling(messages);

    expect(sent).toEqual([messages]);
    expect(sent[0]).toBe(messages);
    expect([chunks, outcome]).toEqual([[hi], response]);
    expect(run.refusedStates).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it("makes a refused call again without the stored state of its model, and says so", async () => {
    const [own, ofRun, others] = [state("s"), state("r"), state("o", { modelId: "other" })];
    const { stored: _, ...unstored } = ofRun;
    const messages = [answer("a", own), answer("b", unstored), answer("c", others), answer("d")];
    const { sent, chunks, outcome, run, warnings } = await calling(messages, [refusal]);

    expect(sent).toEqual([messages, [answer("a"), answer("b", unstored), answer("c", others), answer("d")]]);
    expect([chunks, outcome]).toEqual([[hi], response]);
    expect([...(run.refusedStates ?? [])]).toEqual([own]);
    expect(warnings).toMatchObject([
      {
        code: "vendor_state_refused",
        message:
          "The vendor refused calls of its own tools in the history. They are left out, in later turns of the session too.",
        fields: { vendor: "odd", model: "odd-1" },
      },
    ]);
    expect(messages[0]?.vendorState).toBe(own);
  });

  it("leaves out the states of all models for one that calls others", async () => {
    const [own, others] = [state("s"), state("o", { providerId: "v", modelId: "m" })];
    const { sent, run } = await calling([answer("a", own), answer("b", others)], [refusal], { ids: ["v"] });

    expect(sent[1]).toEqual([answer("a"), answer("b")]);
    expect([...(run.refusedStates ?? [])]).toEqual([own, others]);
  });

  it("sends no state that was refused before in the run, and remembers it with what is refused now", async () => {
    const [before, now] = [state("1"), state("2")];
    const messages = [answer("a", before), answer("b", now)];
    const { sent, run } = await calling(messages, [refusal], { refused: [before] });

    expect(sent).toEqual([
      [answer("a"), answer("b", now)],
      [answer("a"), answer("b")],
    ]);
    expect([...(run.refusedStates ?? [])]).toEqual([before, now]);
  });

  const own = [answer("a", state("s"))];

  it.each<[what: string, messages: ModelMessage[], error: unknown]>([
    ["of another status", own, Object.assign(new TroupeError("model_failed", "No."), { status: 500 })],
    ["without a status", own, new TroupeError("model_failed", "No.")],
    ["that is too long", own, Object.assign(new TroupeError("context_too_long", "No."), { status: 400 })],
    ["that fails otherwise", own, Object.assign(new Error("No."), { status: 400 })],
    ["whose state is another model's", [answer("a", state("o", { modelId: "other" }))], refusal],
  ])("does not repeat a call %s", async (_, messages, error) => {
    const { sent, outcome, run, warnings } = await calling(messages, [error]);

    expect(sent).toHaveLength(1);
    expect(outcome).toBe(error);
    expect(run.refusedStates).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it("does not repeat a call whose state was refused before", async () => {
    const refused = state("s");
    const { sent, outcome, run, warnings } = await calling([answer("a", refused)], [refusal], { refused: [refused] });

    expect(sent).toEqual([[answer("a")]]);
    expect(outcome).toBe(refusal);
    expect([...(run.refusedStates ?? [])]).toEqual([refused]);
    expect(warnings).toEqual([]);
  });

  it("ends with the second failure, and takes nothing as refused then", async () => {
    const second = new TroupeError("model_failed", "Down.");
    const { outcome, run, warnings, sent } = await calling(own, [refusal, second]);

    expect(outcome).toBe(second);
    expect(sent).toHaveLength(2);
    expect(run.refusedStates).toBeUndefined();
    expect(warnings).toEqual([]);
  });
});

describe("withoutStoredState", () => {
  const { stored: _, ...unstored } = state("s");

  it.each<[vendorState: VendorState | undefined, kept: VendorState | undefined]>([
    [state("s"), unstored],
    [unstored, unstored],
    [undefined, undefined],
  ])("keeps the state of a changed text for the run alone: %j, %j", (vendorState, kept) => {
    const given = { ...response, ...(vendorState && { vendorState }) };
    const before = structuredClone(given);

    expect(withoutStoredState(given)).toStrictEqual({ ...response, ...(kept && { vendorState: kept }) });
    expect(given).toStrictEqual(before);
  });
});
