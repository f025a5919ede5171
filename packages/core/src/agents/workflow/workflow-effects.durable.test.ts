import { describe, expect, it } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import type { Journal } from "../journal/journal.ts";
import type { LogEntry } from "../journal/log-entry.ts";
import type { RunWait } from "../run/run-wait.ts";
import { entriesIn, openJournal } from "../journal/test/journals.ts";
import { chunksIn, cutLogs, performRun, plain, stepsIn } from "../journal/test/takeovers.ts";
import type { StartRun } from "../journal/test/takeovers.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { Runnable } from "../run/runnable.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { agentOf } from "./test/agents.ts";
import { failureOf } from "./test/failures.ts";
import type { FunctionStep } from "./workflow-step.ts";
import type { WorkflowStep } from "./workflow-step.ts";
import { Workflow } from "./workflow.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

type State = Record<string, unknown>;

function flow(...steps: WorkflowStep<State>[]): Workflow<State> {
  return new Workflow<State>({ name: "flow", initialState: {}, steps, retryPolicy: { maxRetries: 1, backoffMs: 0 } });
}

function running(workflow: Workflow<State>): StartRun {
  const none = async function* () {};
  return (journal: Journal) => ({
    chunks: none(),
    output: async () => await workflow.run(attemptOpts({ sessionId: "s", steps: journal })),
  });
}

/** A log that ends when a function step has been called. */
async function cutOff(step: Pick<FunctionStep<State>, "effect">): Promise<InMemoryStorage> {
  const storage = new InMemoryStorage();
  const { promise, resolve } = Promise.withResolvers<void>();
  const hanging = flow({ name: "charge", run: async () => await new Promise<never>(() => resolve()), ...step });
  const journal = await openJournal(storage);
  hanging.run(attemptOpts({ sessionId: "s", steps: journal })).catch(() => undefined);
  await promise;
  journal.durable.stop("released");
  await journal.flush();
  return storage;
}

/** A workflow that charges, and the keys that it has charged with. */
function charging(step: Pick<FunctionStep<State>, "effect"> = {}) {
  const charged: unknown[] = [];
  const charge = (_: State, { idempotencyKey }: { idempotencyKey?: string }) => {
    charged.push(idempotencyKey);
    return { receipt: charged.length };
  };
  return { charged, workflow: flow({ name: "charge", run: charge, ...step }) };
}

/** Answers each wait with the next of these, and keeps the waits. */
function answering(...answers: Json[]) {
  const waits: RunWait[] = [];
  return { waits, answer: (wait: RunWait): Json => (waits.push(wait), answers.shift() ?? null) };
}

describe("A function step that was cut off", () => {
  it("waits to be told what happened, and is not called again before [workflow.effect]", async () => {
    const storage = await cutOff({});
    const { workflow, charged } = charging();

    await expect(performRun(storage, running(workflow))).rejects.toThrow("The run waits for an answer.");

    expect(charged).toEqual([]);
    const wait = (await entriesIn(storage)).find(({ t }) => t === "wait") as Extract<LogEntry, { t: "wait" }>;
    expect(wait.wait).toMatchObject({ id: "w.charge.doubt", kind: "doubt", about: { toolName: "charge" } });
  });

  it("has the result that an answer says it had", async () => {
    const storage = await cutOff({});
    const { workflow, charged } = charging();
    const { answer } = answering({ choice: "happened", result: { receipt: 9 } });

    expect(await performRun(storage, running(workflow), answer)).toMatchObject({ state: { receipt: 9 } });
    expect(charged).toEqual([]);
  });

  it.each<[string, Json]>([
    ["null, since it returned nothing", { choice: "happened", result: null }],
    ["absent", { choice: "happened" }],
    ["empty", { choice: "happened", result: {} }],
  ])("sets nothing when the result that it had is %s", async (_, reply) => {
    const { workflow, charged } = charging();
    const { answer } = answering(reply);

    expect(await performRun(await cutOff({}), running(workflow), answer)).toMatchObject({
      state: {},
      steps: [{ name: "charge", status: "completed" }],
    });
    expect(charged).toEqual([]);
  });

  it("is called again when an answer says so, with the same key, and asks again when it is cut off again", async () => {
    const storage = await cutOff({});
    const { promise, resolve } = Promise.withResolvers<void>();
    const hanging = flow({ name: "charge", run: async () => await new Promise<never>(() => resolve()) });
    const again = new Map([["w.charge.doubt", { choice: "again" }]]);
    const journal = await openJournal(storage, again);
    hanging.run(attemptOpts({ sessionId: "s", steps: journal })).catch(() => undefined);
    await promise;
    journal.durable.stop("released");
    await journal.flush();

    const { workflow, charged } = charging();
    const { waits, answer } = answering({ choice: "again" });
    await performRun(storage, running(workflow), answer);

    expect(waits.map(({ id }) => id)).toEqual(["w.charge.again.doubt"]);
    const calls = (await entriesIn(storage)).filter((entry) => entry.t === "call");
    expect(calls.map(({ step }) => step)).toEqual(["w/charge", "w/charge/again", "w/charge/again/again"]);
    expect(new Set([...charged, ...calls.map(({ key }) => key)]).size).toBe(1);
  });

  it("fails without a retry when it is given up, and when the answer is no state", async () => {
    for (const [reply, code] of [
      [{ choice: "giveUp" }, "cancelled"],
      [{ choice: "happened", result: "paid" }, "invalid_value"],
    ] as const) {
      const { workflow, charged } = charging();
      const { answer } = answering(reply);
      const failure = await failureOf(performRun(await cutOff({}), running(workflow), answer));

      expect(failure).toMatchObject({ code, fields: { step: "charge" } });
      expect(charged).toEqual([]);
    }
  });

  it.each(["pure", "idempotent"] as const)("is called again at once if it is %s [workflow.effect]", async (effect) => {
    const storage = await cutOff({ effect });
    const { workflow, charged } = charging({ effect });

    expect(await performRun(storage, running(workflow))).toMatchObject({ state: { receipt: 1 } });
    expect(charged).toHaveLength(1);
    expect(stepsIn(await entriesIn(storage), "call")).toHaveLength(effect === "pure" ? 0 : 2);
  });

  it("lets a parallel step finish before the run waits, and keeps its result", async () => {
    const storage = await cutOff({});
    let looks = 0;
    const workflow = flow({
      name: "both",
      parallel: [
        { name: "charge", run: () => ({}) },
        { name: "look", effect: "pure", run: async () => await Promise.resolve({ seen: ++looks }) },
      ],
    });
    const { answer } = answering({ choice: "happened", result: {} });

    expect(await performRun(storage, running(workflow), answer)).toMatchObject({ state: { seen: 1 } });
    expect(looks).toBe(1);
  });

  it("is not begun by a later attempt when a parallel step is known to have failed", async () => {
    const charged: string[] = [];
    const workflow = flow({
      name: "both",
      parallel: [
        { name: "fail", effect: "pure", run: () => Promise.reject(new TypeError("broken")) },
        { name: "charge", run: async (_, { signal }) => await hangUntil(signal, () => charged.push("charge")) },
      ],
    });
    const storage = new InMemoryStorage();
    const whole = await failureOf(performRun(storage, running(workflow)));
    const cut = (await cutLogs(storage)).at(-1) ?? storage;
    const tries = (await entriesIn(cut)).filter((entry) => entry.t === "done" && entry.step.includes("fail"));
    const before = charged.length;

    const again = await failureOf(performRun(cut, running(workflow)));

    expect([again.code, again.message, again.fields]).toEqual([whole.code, whole.message, whole.fields]);
    // On a busy machine a failure may be in the record of the end, which is cut off: then the steps begin anew.
    expect(charged.length === before || tries.length < 2).toBe(true);
  });
});

async function hangUntil(signal: AbortSignal, begin: () => void): Promise<never> {
  begin();
  return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
}

/** A runnable that is not Troupe's: it streams its answer, or says it at once. */
function outsider(more: Partial<Runnable> & { silent?: boolean } = {}) {
  const { silent = false, ...facts } = more;
  let runs = 0;
  const output = (): RunOutput => {
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
    return { text: "From afar.", toolCalls: [], usage, runId: "r", sessionId: "s", status: "completed", durationMs: 1 };
  };
  const chunks = async function* (): AsyncGenerator<StreamChunk, void> {
    runs += 1;
    if (!silent) for (const text of ["From ", "afar."]) yield { type: "text", text };
    yield { type: "finish", finishReason: "stop" };
  };
  const runnable = {
    name: "outsider",
    kind: "remote",
    eventBus: new EventBus<RunEvents>(),
    run: () => ((runs += 1), Promise.resolve(output())),
    stream: () => ({ [Symbol.asyncIterator]: () => chunks(), output: Promise.resolve(output()) }),
    ...facts,
  } as unknown as Runnable;
  return { runnable, runs: () => runs };
}

/** Streams the workflow as a runnable. */
function streamed(workflow: Workflow<State>): StartRun {
  return (journal: Journal) => {
    const stream = workflow.asRunnable().stream("Hi", attemptOpts({ sessionId: "s", steps: journal }));
    return { chunks: stream, output: async () => await stream.output };
  };
}

describe("A durable run of a workflow as a runnable", () => {
  const scenes = {
    "a third party's runnable that streams": () => {
      const { runnable, runs } = outsider();
      return { agent: runnable, runs };
    },
    "a third party's runnable that does not stream": () => {
      const { runnable, runs } = outsider({ silent: true });
      return { agent: runnable, runs };
    },
    "an agent": () => ({ agent: agentOf("From afar."), runs: () => 0 }),
  };

  it.each(Object.entries(scenes))(
    "streams the answer of %s once, wherever another process takes over [workflow.outside-step]",
    async (_, scene) => {
      const storage = new InMemoryStorage();
      const create = () => {
        const { agent, runs } = scene();
        const steps: WorkflowStep<State>[] = [
          { name: "ask", agent },
          { name: "note", effect: "pure", run: () => ({ noted: true }) },
        ];
        return { runs, workflow: flow(...steps) };
      };
      const first = create();
      const whole = (await performRun(storage, streamed(first.workflow))) as RunOutput;
      expect(whole).toMatchObject({ text: "From afar.", structured: { ask: "From afar.", noted: true } });

      for (const cut of await cutLogs(storage)) {
        const entries = await entriesIn(cut);
        const isDone = stepsIn(entries, "done").includes("w/ask");
        const isCalled = stepsIn(entries, "call").includes("w/ask") && !isDone;
        const again = create();
        const { waits, answer } = answering({ choice: "again" });
        const output = (await performRun(cut, streamed(again.workflow), answer)) as RunOutput;

        expect(plain(output)).toEqual(plain(whole));
        expect(await chunksIn(cut)).toEqual(await chunksIn(storage));
        expect(waits.map(({ id }) => id)).toEqual(isCalled ? ["w.ask.doubt"] : []);
        expect(again.runs()).toBeLessThanOrEqual(isDone ? 0 : 1);
      }
    },
  );

  it("makes a run of a third party's runnable that says it is idempotent again without asking [workflow.outside-step]", async () => {
    const storage = new InMemoryStorage();
    const { runnable } = outsider({ effect: "idempotent" });
    await performRun(storage, streamed(flow({ name: "ask", agent: runnable })));
    const called = await Promise.all(
      (await cutLogs(storage)).map(async (cut) => ({ cut, entries: await entriesIn(cut) })),
    );
    const isCutOff = ({ entries }: { entries: LogEntry[] }) =>
      stepsIn(entries, "call").length > 0 && stepsIn(entries, "done").length === 0;
    const cut = called.find(isCutOff)?.cut ?? storage;
    const again = outsider({ effect: "idempotent" });

    const output = await performRun(cut, streamed(flow({ name: "ask", agent: again.runnable })));

    expect(output).toMatchObject({ text: "From afar.", usage: { totalTokens: 3 } });
    expect(again.runs()).toBe(1);
  });
});
