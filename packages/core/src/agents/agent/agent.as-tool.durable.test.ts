import { describe, expect, it } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import type { Journal } from "../journal/journal.ts";
import type { RunWait } from "../run/run-wait.ts";
import { entriesIn } from "../journal/test/journals.ts";
import { chunksIn, cutLogs, performRun, plain, stepsIn } from "../journal/test/takeovers.ts";
import type { StartRun } from "../journal/test/takeovers.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { Runnable } from "../run/runnable.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import { runnableAsTool } from "../tool/runnable-as-tool.ts";
import { Agent } from "./agent.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

const source = { id: "1", url: "https://example.com/umbrellas" };

/** An agent that asks another one, which pays with a tool of effect once and cites a source, and the payments. */
function scene() {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object" },
    execute: (_, { idempotencyKey }) => (paid.push(idempotencyKey), "paid"),
  });
  const inner = new ScriptedModel().respond(({ messages }) => {
    if (messages.at(-1)?.role !== "tool") return { toolCalls: [{ name: "pay", arguments: {} }] };
    return { text: "It is paid.", sources: [source] };
  });
  const clerk = new Agent({ name: "clerk", model: inner, tools: [pay] });
  const ask = { name: "ask_clerk", arguments: { input: "Pay the bill." } };
  const outer = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: [ask] },
  );
  return {
    paid,
    models: [inner, outer],
    agent: new Agent({ name: "chief", model: outer, tools: [runnableAsTool(clerk)] }),
  };
}

function streaming(agent: Agent): StartRun {
  return (journal: Journal) => {
    const stream = agent.stream("Pay.", attemptOpts({ sessionId: "s", steps: journal }));
    return { chunks: stream, output: async () => await stream.output };
  };
}

describe("An agent as a tool in a durable run", () => {
  it("goes on where it was after a stop at any record, and its call is not asked about [run-log.agent-tool]", async () => {
    const storage = new InMemoryStorage();
    const first = scene();
    const whole = (await performRun(storage, streaming(first.agent))) as RunOutput;
    expect(whole).toMatchObject({ text: "Done.", sources: [source] });

    for (const cut of await cutLogs(storage)) {
      const entries = await entriesIn(cut);
      const done = stepsIn(entries, "done");
      const isInDoubt = stepsIn(entries, "call").some((step) => !done.includes(step));
      const again = scene();
      const asked: string[] = [];
      const answer = ({ id }: RunWait): Json => (asked.push(id), { choice: "happened", result: "paid" });
      const output = (await performRun(cut, streaming(again.agent), answer)) as RunOutput;

      expect(plain(output)).toEqual(plain(whole));
      expect(await chunksIn(cut)).toEqual(await chunksIn(storage));
      expect(asked).toEqual(isInDoubt ? ["t.0.0.c0.t.0.0.doubt"] : []);
      expect(again.paid).toHaveLength(isInDoubt || done.includes("t/0/0/c0/t/0/0") ? 0 : 1);
      const calls = again.models.flatMap((model) => model.calls);
      expect(calls).toHaveLength(4 - done.filter((step) => /(^|\/)m\/\d$/.test(step)).length);
    }
  });

  it("an agent as a tool in a durable run of a third party is a call like that of any tool, of effect once unless the runnable says otherwise", () => {
    const outsider = { name: "outsider", kind: "remote", eventBus: new EventBus<RunEvents>(), run: () => undefined };

    expect(runnableAsTool(outsider as unknown as Runnable).effect).toBe("once");
    expect(runnableAsTool({ ...outsider, effect: "pure" } as unknown as Runnable).effect).toBe("pure");
    expect(runnableAsTool(scene().agent).effect).toBeUndefined();
  });
});
