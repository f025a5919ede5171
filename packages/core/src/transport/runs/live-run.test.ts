import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ActiveRuns } from "./active-runs.ts";
import { LiveRun } from "./live-run.ts";
import type { ServedEvent } from "./served-event.ts";

const ada = { userId: "ada" };
const disconnected = { code: "cancelled", message: "The client disconnected before the answer." };
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const output = { text: "Hé.", toolCalls: [], usage, runId: "r", sessionId: "s", secret: "of the host" };
const chunk = (text: string) => ({ type: "text", text });

type Given = { kind?: "agent" | "team" | "workflow"; owner?: object; input?: unknown; subject?: object };

/** A live run of the user Ada, or of nobody, whose runnable the test gives. */
function liveRun({ kind = "agent", owner = ada, subject = {}, ...given }: Given = {}, active = new ActiveRuns()) {
  const { input } = { input: "Hi.", ...given };
  const opts = { runId: "r", sessionId: "s", isNewSession: true, fromOutside: true as const, ...owner };
  const run = new LiveRun({ subject, input, opts, owner }, { kind, name: "a" }, active);
  return { run, active };
}

/** A stream of chunks, as an agent returns it, that notes when it is returned. */
function streamOf(chunks: readonly unknown[], more: { failure?: unknown; output?: unknown } = {}) {
  const returned = vi.fn<() => void>();
  async function* generate() {
    try {
      yield* chunks;
      if (more.failure !== undefined) throw more.failure;
    } finally {
      returned();
    }
  }
  const stream = Object.assign(generate(), { output: Promise.resolve(more.output ?? output) });
  return { stream, returned };
}

/** A runnable whose run never ends by itself. */
function openRunnable() {
  const began = vi.fn<(input: unknown, opts: { signal: AbortSignal }) => void>();
  const until = async (signal: AbortSignal) =>
    await new Promise<never>((_resolve, reject) => {
      if (signal.aborted) reject(new Error("the socket closed"));
      signal.addEventListener("abort", () => reject(new Error("the socket closed")), { once: true });
    });
  const subject = {
    run: async (input: unknown, opts: { signal: AbortSignal }) => {
      began(input, opts);
      return await until(opts.signal);
    },
    async *stream(input: unknown, opts: { signal: AbortSignal }) {
      began(input, opts);
      yield chunk("Hé");
      await until(opts.signal);
    },
  };
  return { subject, began };
}

async function read(events: AsyncIterable<ServedEvent>): Promise<ServedEvent[]> {
  const all: ServedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe("a live run", () => {
  it("has the ids, the kind and the name of its request, and is stored nowhere", () => {
    const { run } = liveRun({ kind: "team" });

    expect(run).toMatchObject({
      runId: "r",
      sessionId: "s",
      kind: "team",
      name: "a",
      isStored: false,
      isDurable: false,
    });
  });

  it("begins with its first call, and is active until it is over", async () => {
    const { subject, began } = openRunnable();
    const { run, active } = liveRun({ subject });
    expect([active.size, active.cancel("r", ada), began.mock.calls]).toEqual([0, false, []]);

    const settled = run.settled();
    expect(active.size).toBe(1);
    expect(began).toHaveBeenCalledExactlyOnceWith("Hi.", expect.objectContaining({ runId: "r", signal: run.signal }));
    run.disconnect();
    await expect(settled).rejects.toMatchObject(disconnected);
    expect([active.size, active.cancel("r", ada)]).toEqual([0, false]);
  });

  it("stays over once it is, also for another run of its id", async () => {
    const { run, active } = liveRun({ subject: { run: async () => output } });
    await run.settled();
    run.finish();

    expect([active.size, run.signal.aborted]).toEqual([0, false]);
  });

  it("is cancelled by its id for its owner alone, with the reason as the error of the run", async () => {
    const { run, active } = liveRun({ subject: openRunnable().subject });
    const settled = run.settled().catch((error: unknown) => error);
    for (const other of [{ userId: "bob" }, { userId: "ada", verified: false }, { ...ada, tenantId: "t" }, {}])
      expect(active.cancel("r", other)).toBe(false);
    expect(run.signal.aborted).toBe(false);
    expect(active.cancel("r", ada)).toBe(true);

    expect(run.signal.reason).toMatchObject({ code: "cancelled", message: "The run was cancelled on request." });
    expect(await settled).toBe(run.signal.reason);
  });

  it("is cancelled by all who know its id if its client has no user", async () => {
    const { run, active } = liveRun({ owner: {}, subject: openRunnable().subject });
    const settled = run.settled();
    expect(active.cancel("q", {})).toBe(false);
    expect(active.cancel("r", ada)).toBe(true);

    await expect(settled).rejects.toBe(run.signal.reason);
  });

  it("has the first reason of its end as its error", async () => {
    const { run, active } = liveRun({ subject: openRunnable().subject });
    const settled = run.settled();
    run.disconnect();
    active.cancel("r", ada);
    active.endAll();

    await expect(settled).rejects.toMatchObject(disconnected);
  });

  it.each(["settled", "events"] as const)(
    "does not begin by %s for a client that has left, and is not counted",
    async (how) => {
      const { subject, began } = openRunnable();
      const { run, active } = liveRun({ subject });
      run.disconnect();

      await expect((async () => await run[how]())()).rejects.toMatchObject(disconnected);
      expect([active.size, began.mock.calls]).toEqual([0, []]);
    },
  );

  it("is ended by a shutdown, and refused while that drains, also if it was made before", async () => {
    const { subject, began } = openRunnable();
    const { run, active } = liveRun({ subject });
    const early = liveRun({ subject }, active).run;
    const settled = run.settled();
    const unavailable = { code: "unavailable", fields: { retryAfterMs: 1000 } };
    void active.drain();
    active.endAll();

    await expect(settled).rejects.toMatchObject(unavailable);
    expect(() => liveRun({ subject }, active)).toThrow(expect.objectContaining(unavailable));
    await expect(early.settled()).rejects.toMatchObject(unavailable);
    expect(() => early.events()).toThrow(expect.objectContaining(unavailable));
    expect([active.size, began.mock.calls.length]).toEqual([0, 1]);
  });

  it("fails with what was thrown as long as it is not cancelled", () => {
    const { run } = liveRun();
    const error = new TroupeError("model_failed", "No.");
    expect(run.toError(error)).toBe(error);
    expect(run.toError(new Error("sk-secret"))).toMatchObject({ code: "internal" });
    run.disconnect();
    expect(run.toError(error)).toBe(error);
    expect(run.toError(new Error("sk-secret"))).toMatchObject(disconnected);
  });
});

describe("the result of a live run", () => {
  it("is the public output of an agent, with the ids of its request where a third party's has none", async () => {
    const { run } = liveRun({ subject: { run: async () => output } });
    const third = liveRun({ subject: { run: async () => ({ text: "Hé.", toolCalls: [], usage }) } }).run;

    const settled = await run.settled();
    expect(settled).toEqual({ output: expect.objectContaining({ text: "Hé.", runId: "r", sessionId: "s", usage }) });
    expect(settled.output).not.toHaveProperty("secret");
    expect(await third.settled()).toEqual({
      output: expect.objectContaining({ text: "Hé.", runId: "r", sessionId: "s", durationMs: expect.any(Number) }),
    });
  });

  it.each([
    ["an object", { a: 1 }, { input: { a: 1 } }],
    ["a string", "Hi.", { input: "Hi." }],
    ["nothing", undefined, {}],
  ])("is that of a workflow whose input is %s", async (_what, input, expected) => {
    const ran = vi.fn<(opts: object) => Promise<object>>(async () => ({ status: "completed", state: {}, secret: 1 }));
    const { run } = liveRun({ kind: "workflow", input, subject: { run: ran } });

    const settled = await run.settled();
    expect(settled.output).toMatchObject({ status: "completed", state: {} });
    expect(settled.output).not.toHaveProperty("secret");
    const [[opts]] = ran.mock.calls as [[object]];
    expect(opts).toMatchObject({ runId: "r", sessionId: "s", signal: run.signal, ...expected });
    expect("input" in opts).toBe(input !== undefined);
  });

  it("is the error of a run that cannot begin, and the run is over", async () => {
    const error = new TroupeError("invalid_request", "Wrong input.");
    const subject = {
      run: () => {
        throw error;
      },
    };
    const { run, active } = liveRun({ subject });

    await expect(run.settled()).rejects.toBe(error);
    expect(active.size).toBe(0);
  });
});

describe("the events of a live run", () => {
  it("are its chunks and one end, from which the public output is read when asked", async () => {
    const { stream } = streamOf([chunk("H"), chunk("é")]);
    const began = vi.fn<(input: unknown, opts: object) => unknown>(() => stream);
    const { run, active } = liveRun({ subject: { stream: began } });
    const events = run.events();
    expect(began).toHaveBeenCalledExactlyOnceWith("Hi.", expect.objectContaining({ runId: "r", signal: run.signal }));
    expect([active.size, events[Symbol.asyncIterator]()]).toEqual([1, events]);

    const [first, second, end, ...more] = await read(events);
    expect([first, second, more]).toEqual([
      { type: "chunk", chunk: chunk("H") },
      { type: "chunk", chunk: chunk("é") },
      [],
    ]);
    expect(active.size).toBe(0);
    const shown = end?.type === "end" ? await end.readOutput() : undefined;
    expect(shown).toMatchObject({ text: "Hé.", runId: "r", usage });
    expect(shown).not.toHaveProperty("secret");
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it("end with the result of a workflow, which its last chunk has", async () => {
    const result = { status: "completed", state: { n: 1 }, secret: 1 };
    const { stream } = streamOf([{ type: "step_start" }, { type: "finish", result }]);
    const began = vi.fn<(opts: object) => unknown>(() => stream);
    const { run } = liveRun({ kind: "workflow", input: undefined, subject: { stream: began } });

    const events = await read(run.events());
    const end = events.at(-1);
    const shown = end?.type === "end" ? await end.readOutput() : undefined;
    expect([events.map(({ type }) => type), shown]).toMatchObject([
      ["chunk", "chunk", "end"],
      { status: "completed", state: { n: 1 } },
    ]);
    expect(shown).not.toHaveProperty("secret");
    expect(began.mock.calls[0]?.[0]).not.toHaveProperty("input");
  });

  it("have an end whose output is an error for a runnable of a third party without one", async () => {
    const { run } = liveRun({ subject: { stream: () => streamOf([]).stream } });
    const third = liveRun({ subject: { stream: async function* () {} } }).run;

    const [own] = await read(run.events());
    const [end] = await read(third.events());
    expect(own?.type === "end" && (await own.readOutput())).toMatchObject({ text: "Hé." });
    await expect((async () => end?.type === "end" && (await end.readOutput()))()).rejects.toMatchObject({
      code: "invalid_value",
    });
  });

  it.each([
    ["as it is thrown", new TroupeError("model_failed", "No."), { code: "model_failed", message: "No." }],
    ["as internal", new Error("sk-secret"), { code: "internal" }],
  ])("end with the failure of the run, %s", async (_how, failure, error) => {
    const { stream } = streamOf([chunk("H")], { failure });
    const { run, active } = liveRun({ subject: { stream: () => stream } });

    expect(await read(run.events())).toMatchObject([{ type: "chunk" }, { type: "failure", error }]);
    expect(active.size).toBe(0);
  });

  it("end with the reason of the cancellation once the run is cancelled", async () => {
    const { run, active } = liveRun({ subject: openRunnable().subject });
    const events = run.events();
    expect(await events.next()).toMatchObject({ value: { chunk: chunk("Hé") } });
    active.cancel("r", ada);

    expect(await events.next()).toEqual({
      done: false,
      value: { type: "failure", error: run.signal.reason as unknown },
    });
    expect([active.size, await events.next()]).toEqual([0, { done: true, value: undefined }]);
  });

  it("are not there for a run that cannot begin, which is then over", () => {
    const error = new TroupeError("invalid_request", "Wrong input.");
    const stream = () => {
      throw error;
    };
    const { run, active } = liveRun({ subject: { stream } });

    expect(() => run.events()).toThrow(error);
    expect(active.size).toBe(0);
  });

  it("end the run when they are left before their end, once", async () => {
    const { stream, returned } = streamOf([chunk("H"), chunk("é")]);
    const { run, active } = liveRun({ subject: { stream: () => stream } });
    for await (const event of run.events()) {
      expect(event).toMatchObject({ chunk: chunk("H") });
      break;
    }

    expect([active.size, returned.mock.calls.length]).toEqual([0, 1]);
    const after = streamOf([]);
    const whole = liveRun({ subject: { stream: () => after.stream } }).run.events();
    await read(whole);
    expect(await whole.return?.()).toEqual({ done: true, value: undefined });
    expect(after.returned).toHaveBeenCalledOnce();
  });

  it("end the run also if its runnable cannot be left, and its error is thrown", async () => {
    const failure = new Error("Not now.");
    const chunks = {
      next: async () => ({ done: false, value: chunk("H") }),
      return: async () => await Promise.reject(failure),
    };
    const subject = { stream: () => ({ [Symbol.asyncIterator]: () => chunks }) };
    const { run, active } = liveRun({ subject });
    const events = run.events();

    await expect(events.return?.()).rejects.toBe(failure);
    expect([active.size, await events.next()]).toEqual([0, { done: true, value: undefined }]);
  });
});
