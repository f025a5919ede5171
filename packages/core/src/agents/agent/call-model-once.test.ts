import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { CallIds } from "../../sessions/history/call-ids.ts";
import { entriesIn, openJournal } from "../journal/test/journals.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { testRun } from "../run/test/test-run.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { callModelOnce } from "./call-model-once.ts";
import { ToolSet } from "../tool/tool-set.ts";
import type { LoopPlan, PreparedCall } from "./loop-plan.ts";
import { answering, callOf } from "./test/agents.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const response: ModelResponse = {
  text: "Hi.",
  thinking: "Hm.",
  toolCalls: [callOf("c1")],
  usage,
  finishReason: "stop",
};

/** Makes the model call with this number in an attempt at a run, or in one without a journal. */
async function attempt(storage: InMemoryStorage | undefined, index = 0, more: Partial<LoopPlan> = {}) {
  const journal = storage && (await openJournal(storage));
  const left: string[] = [];
  const begin = journal?.begin.bind(journal);
  if (journal !== undefined && begin !== undefined) {
    journal.begin = (key) => {
      const step = begin(key);
      const leave = step.leave.bind(step);
      return Object.assign(step, { leave: () => (left.push(key), leave()) });
    };
  }
  const run = testRun({}, { settings: { ...resolveRunOpts({}), ...(journal && { steps: journal }) } });
  run.thinking = "Before. ";
  const call = vi.fn<LoopPlan["call"]>(async function* (_plan, { filter }) {
    const shown = await filter({ type: "text", text: "Hi." });
    if (shown !== undefined) yield shown;
    return response;
  });
  const plan = { run, call, structured: undefined, outputGuardrails: [], ...more } as unknown as LoopPlan;
  const model = answering();
  const tools = new ToolSet([]);
  const prepared = { model, index, tools, messages: [], options: {}, mayCallTools: true } as unknown as PreparedCall;
  const callIds = new CallIds();
  const chunks: StreamChunk[] = [];
  const read = async () => {
    const reading = callModelOnce(plan, prepared, callIds);
    for (let step = await reading.next(); ; step = await reading.next()) {
      if (step.done === true) return step.value;
      chunks.push(step.value);
    }
  };
  const outcome = await read().catch((error: unknown) => error);
  await journal?.flush();
  return { run, call, model, callIds, chunks, outcome, left };
}

const stored = (index: number) => expect.objectContaining({ t: "done", step: `m/${index}`, usage });

describe("callModelOnce", () => {
  it("makes a call in each run without a journal", async () => {
    const { call, chunks, outcome, run } = await attempt(undefined);

    expect(call).toHaveBeenCalledOnce();
    expect(chunks).toEqual([{ type: "text", text: "Hi." }]);
    expect(outcome).toEqual(response);
    expect(run.thinking).toBe("Before. Hm.");
  });

  it("counts the usage of an answer that comes when the run is over", async () => {
    const call: LoopPlan["call"] = async function* ({ run }) {
      yield* [];
      run.abort(new TroupeError("cancelled", "Over."));
      return await Promise.resolve(response);
    };
    const { run, outcome } = await attempt(undefined, 0, { call });

    expect(outcome).toMatchObject({ message: "Over." });
    expect([run.meter.total, run.thinking]).toEqual([usage, "Before. "]);
  });

  it("makes a call of a durable run once, and gives a later attempt all of it but the chunks", async () => {
    const storage = new InMemoryStorage();
    const first = await attempt(storage, 2);
    const second = await attempt(storage, 2);

    expect(await entriesIn(storage)).toContainEqual(stored(2));
    expect(second.call).not.toHaveBeenCalled();
    expect(second.chunks).toEqual([]);
    expect(second.outcome).toEqual(first.outcome);
    for (const { run, model } of [first, second]) {
      expect([run.text, run.thinking, run.meter.total, run.model]).toEqual(["Hi.", "Before. Hm.", usage, model]);
    }
    expect(second.callIds.take("c1")).toBe("c1_2");
  });

  it("knows the calls of a run by their numbers", async () => {
    const storage = new InMemoryStorage();
    await attempt(storage, 0);
    const other = await attempt(storage, 1);

    expect(other.call).toHaveBeenCalledOnce();
    expect(await entriesIn(storage)).toEqual(expect.arrayContaining([stored(0), stored(1)]));
  });

  it("makes a call again that failed, whose step is left", async () => {
    const storage = new InMemoryStorage();
    const failing: LoopPlan["call"] = async function* () {
      yield { type: "text", text: "H" };
      throw await Promise.resolve(new Error("down"));
    };
    const failed = await attempt(storage, 0, { call: failing });
    const again = await attempt(storage);

    expect(failed.outcome).toMatchObject({ message: "The model odd/odd-1 failed: down" });
    expect([failed.left, again.left]).toEqual([["m/0"], ["m/0"]]);
    expect(again.call).toHaveBeenCalledOnce();
    expect(again.outcome).toEqual(response);
  });

  it("gives no text of a stored structured answer: it is read anew", async () => {
    const storage = new InMemoryStorage();
    const structured = {} as LoopPlan["structured"];
    await attempt(storage, 0, { structured });
    const { run, outcome } = await attempt(storage, 0, { structured });

    expect(run.text).toBe("");
    expect(outcome).toMatchObject({ text: "Hi." });
  });
});
