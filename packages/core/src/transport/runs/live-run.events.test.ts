import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ServedEvent } from "./served-event.ts";
import { ada, chunk, liveRun, openRunnable, output, usage } from "./test/live-runs.ts";

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

async function read(events: AsyncIterable<ServedEvent>): Promise<ServedEvent[]> {
  const all: ServedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

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
