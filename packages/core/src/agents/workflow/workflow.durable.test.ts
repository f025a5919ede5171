import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { Journal } from "../journal/journal.ts";
import type { RunWait } from "../run/run-wait.ts";
import { entriesIn } from "../journal/test/journals.ts";
import { chunksIn, cutLogs, performRun, plain, stepsIn } from "../journal/test/takeovers.ts";
import type { StartRun } from "../journal/test/takeovers.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Workflow } from "./workflow.ts";
import type { WorkflowChunk, WorkflowResult } from "./workflow-result.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

type State = Record<string, unknown>;

/** Streams the workflow in an attempt, to its result. */
function streaming(workflow: Workflow<State>): StartRun {
  return (journal: Journal) => {
    let result: WorkflowResult | undefined;
    const chunks = async function* () {
      for await (const chunk of workflow.stream(
        attemptOpts({ input: "An umbrella?", sessionId: "s", steps: journal }),
      )) {
        if (chunk.type === "finish") result = chunk.result;
        else yield chunk as WorkflowChunk;
      }
    };
    return { chunks: chunks(), output: () => Promise.resolve(result) };
  };
}

/** An agent that always gives the same answer, and its model. */
function sayer(name: string, text: string) {
  const model = new ScriptedModel().respond(() => ({ text, chunkSize: 2 }));
  return { model, agent: new Agent({ name, model, storage: new InMemoryStorage() }) };
}

/**
 * A workflow with a step of each kind, which counts what is done. A condition that was stored would not hold a second time,
 * and a failure that was stored does not come back.
 */
function scene(stored: readonly string[] = []) {
  const done: string[] = [];
  const [writer, judge, critic] = [sayer("writer", "Take it."), sayer("judge", "Good."), sayer("critic", "Bad.")];
  let failures = stored.includes("w/count%2Eall") ? 0 : 1;
  const workflow = new Workflow<State>({
    name: "flow",
    initialState: {},
    retryPolicy: { maxRetries: 2, backoffMs: 0 },
    steps: [
      { name: "write", agent: writer.agent },
      {
        name: "coin",
        condition: () => !stored.includes("w/coin"),
        steps: [{ name: "heads", run: () => (done.push("heads"), { side: "heads" }) }],
      },
      {
        name: "both",
        parallel: [
          { name: "judge", agent: judge.agent },
          { name: "critic", agent: critic.agent },
        ],
      },
      {
        name: "count.all",
        effect: "idempotent",
        run: (state, { idempotencyKey }) => {
          done.push("count");
          if (failures-- > 0) throw new Error("not yet");
          return { counted: Object.keys(state).length, key: idempotencyKey };
        },
      },
    ],
  });
  return { workflow, done, models: [writer.model, judge.model, critic.model] };
}

describe("A durable run of a workflow", () => {
  it("goes on after a stop at any record, to the same result, usage and events, and does nothing again that is stored [workflow.durable]", async () => {
    const storage = new InMemoryStorage();
    const first = scene();
    const whole = (await performRun(storage, streaming(first.workflow))) as WorkflowResult;
    expect(whole.state).toMatchObject({ write: "Take it.", side: "heads", judge: "Good.", critic: "Bad.", counted: 4 });
    expect(first.done).toEqual(["heads", "count", "count"]);
    const cuts = await cutLogs(storage);
    expect(cuts.length).toBeGreaterThan(12);

    for (const cut of cuts) {
      const before = stepsIn(await entriesIn(cut), "done");
      const doubts = stepsIn(await entriesIn(cut), "call").filter((step) => !before.includes(step));
      const again = scene(before);
      const asked: string[] = [];
      const answer = ({ id }: RunWait) => (asked.push(id), { choice: "again" });
      const result = (await performRun(cut, streaming(again.workflow), answer)) as WorkflowResult;

      expect(plain(result)).toEqual(plain(whole));
      expect(await chunksIn(cut)).toEqual(await chunksIn(storage));
      expect(result.usage).toEqual(whole.usage);
      const calls = again.models.map(({ calls: { length } }) => length);
      expect(again.done.filter((step) => step === "heads")).toHaveLength(before.includes("w/heads") ? 0 : 1);
      expect(asked).toEqual(doubts.includes("w/heads") ? ["w.heads.doubt"] : []);
      expect(calls).toEqual(["write", "judge", "critic"].map((name) => (before.includes(`w/${name}/c0/m/0`) ? 0 : 1)));
    }
  });
});
