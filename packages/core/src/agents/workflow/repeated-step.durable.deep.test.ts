import { describe, expect, inject, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { Journal } from "../journal/journal.ts";
import { entriesIn } from "../journal/test/journals.ts";
import { chunksIn, cutLogs, performRun, plain, stepsIn } from "../journal/test/takeovers.ts";
import type { StartRun } from "../journal/test/takeovers.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { getTextContent } from "../../base/message/content.ts";
import { compareUtf8 } from "../../base/util/compare-utf8.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Workflow } from "./workflow.ts";
import type { WorkflowChunk, WorkflowResult } from "./workflow-result.ts";

/** The share of the records at which the run stops. */
const oneIn = { few: 5, many: 1 }[inject("trials")];

type State = Record<string, unknown> & { n: number };

/** Streams the workflow in an attempt, to its result. */
function streaming(workflow: Workflow<State>): StartRun {
  return (journal: Journal) => {
    let result: WorkflowResult | undefined;
    const chunks = async function* () {
      for await (const chunk of workflow.stream(attemptOpts({ sessionId: "s", steps: journal }))) {
        if (chunk.type === "finish") result = chunk.result;
        else yield chunk as WorkflowChunk;
      }
    };
    return { chunks: chunks(), output: () => Promise.resolve(result) };
  };
}

/**
 * A workflow with rounds, items, a choice and an inner workflow, and the keys of its function calls. Its choices and
 * conditions hold only until they are stored.
 */
function scene(stored: readonly string[] = []) {
  const done: string[] = [];
  const note = (key = "") => void done.push(key.slice(key.indexOf("/") + 1));
  const isNew = (key: string) => !stored.includes(key);
  const model = new ScriptedModel().respond(({ messages }) => `<${getTextContent(messages.at(-1)?.content ?? null)}>`);
  const agent = new Agent({ name: "writer", model, storage: new InMemoryStorage() });
  const add = (name: string) => ({
    name,
    effect: "idempotent" as const,
    run: ({ n }: State, { idempotencyKey }: { idempotencyKey?: string }) => (note(idempotencyKey), { n: n + 1 }),
  });
  const inner = new Workflow<State>({ name: "inner", initialState: { n: 5 }, steps: [add("within")] });
  const workflow = new Workflow<State>({
    name: "flow",
    initialState: { n: 0 },
    steps: [
      { name: "up", loop: [add("one")], while: ({ n }) => n < 2 || !isNew("w/up/2"), maxRounds: 4 },
      {
        name: "each.one",
        forEach: () => (isNew("w/each%2Eone") ? ["a", "b", "c"] : []),
        concurrency: 2,
        steps: [
          { name: "say", agent },
          { name: "until", loop: [add("two")], until: ({ n }) => n > 2, maxRounds: 3 },
        ],
      },
      { name: "again", forEach: () => ["x", "y"], agent, concurrency: 2 },
      {
        name: "pick",
        choose: () => (isNew("w/pick") ? "a" : "b"),
        cases: { a: [add("three")], b: [] },
      },
      { name: "inner", workflow: inner, inputFrom: ({ n }) => ({ n: n * 10 }) },
      {
        name: "calls",
        forEach: () => [1, 2],
        effect: "idempotent",
        onItemError: "collect",
        run: ({ item }, { idempotencyKey }) => {
          note(idempotencyKey);
          if (item === 2) throw new Error("no");
          return item;
        },
      },
    ],
  });
  return { workflow, done, model };
}

/** Sorts events by step: those of parallel items come in any order. */
function byStep(events: readonly unknown[]): unknown[] {
  const stepOf = (event: unknown) => String(readProperty(event, "step"));
  return events.toSorted((one, other) => compareUtf8(stepOf(one), stepOf(other)));
}

describe("A durable run of a workflow with rounds and items", () => {
  it("goes on after a stop at any record, to the same result and events, and does nothing again that is stored", async () => {
    const storage = new InMemoryStorage();
    const first = scene();
    const whole = (await performRun(storage, streaming(first.workflow))) as WorkflowResult;
    expect(whole.state).toMatchObject({
      n: 3,
      "each.one": [
        { say: "<a>", n: 3 },
        { say: "<b>", n: 3 },
        { say: "<c>", n: 3 },
      ],
      again: ["<x>", "<y>"],
      inner: { n: 31 },
      calls: [1, { error: { code: "internal" } }],
    });
    expect(first.done.toSorted()).toEqual(
      [
        "up/0/one",
        "up/1/one",
        "each.one/0/until/0/two",
        "each.one/1/until/0/two",
        "each.one/2/until/0/two",
        "three",
        "within",
        "calls/0",
        "calls/1",
      ].toSorted(),
    );
    const ends = stepsIn(await entriesIn(storage), "done");
    expect(ends).toContain("w/each%2Eone/2/w/until/0/w/two");
    expect(ends).toContain("w/again/1/c0/m/0");
    const cuts = await cutLogs(storage);
    expect(cuts.length).toBeGreaterThan(40);

    for (const cut of cuts.filter((_, index) => index % oneIn === 0)) {
      const before = stepsIn(await entriesIn(cut), "done");
      const again = scene(before);
      const result = (await performRun(cut, streaming(again.workflow))) as WorkflowResult;

      expect(plain(result)).toEqual(plain(whole));
      expect(byStep(await chunksIn(cut))).toEqual(byStep(await chunksIn(storage)));
      const isStored = (key: string) => before.some((step) => step.endsWith(key));
      const repeated = again.done.filter((key) =>
        isStored(`w/${key.replace(/^each\.one/, "each%2Eone").replace(/\/(\d+)\/(?=\D)/g, "/$1/w/")}`),
      );
      expect(repeated).toEqual([]);
      expect(again.model.calls.length).toBe(5 - before.filter((step) => step.endsWith("/c0/m/0")).length);
    }
  });
});
