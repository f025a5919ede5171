import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Followers } from "./followers.ts";
import type { ServedEvent } from "./served-event.ts";
import type { ServedStoredRun } from "./served-stored-run.ts";
import { attempt, chunk, storedRun, wait } from "./test/served-stored-run.ts";

const failed = { type: "end", id: "9.0", output: { usage: {} }, error: { code: "model_failed", message: "No." } };
const agentOutput = { text: "Hé.", toolCalls: [], usage: {}, secret: 1 };
const ended = (output: unknown) => ({ type: "end", id: "9.0", output });

async function readAll(run: ServedStoredRun, range?: Parameters<ServedStoredRun["events"]>[0]): Promise<ServedEvent[]> {
  const all: ServedEvent[] = [];
  for await (const event of run.events(range)) all.push(event);
  return all;
}

describe("the events of a stored run", () => {
  it("are those of its log behind a position, with an end whose public output is read when asked", async () => {
    const { run, asked, returned } = storedRun([attempt(1), chunk, wait, ended(agentOutput)]);
    const events = await readAll(run, { after: "7" });

    expect(asked).toHaveBeenCalledExactlyOnceWith("r", "host", "7");
    expect(events.slice(0, 3)).toEqual([attempt(1), chunk, wait]);
    expect(events[3]).toEqual({ type: "end", id: "9.0", readOutput: expect.any(Function) });
    const shown = events[3]?.type === "end" ? await events[3].readOutput() : undefined;
    expect(shown).toMatchObject({ text: "Hé." });
    expect(shown).not.toHaveProperty("secret");
    expect([events.length, returned.mock.calls.length]).toEqual([4, 1]);
  });

  it("have the result of a workflow at their end, and begin at the beginning by default", async () => {
    const { run, asked } = storedRun([ended({ status: "completed", state: {}, secret: 1 })], { kind: "workflow" });
    const [end] = await readAll(run);

    expect(asked).toHaveBeenCalledExactlyOnceWith("r", "host", undefined);
    const shown = end?.type === "end" ? await end.readOutput() : undefined;
    expect(shown).toMatchObject({ status: "completed", state: {} });
    expect(shown).not.toHaveProperty("secret");
  });

  it("end with the failure of the run, its id in the log and its run", async () => {
    const events = await readAll(storedRun([chunk, failed]).run);

    expect(events).toMatchObject([
      chunk,
      { type: "failure", id: "9.0", error: { code: "model_failed", message: "No.", output: { runId: "r" } } },
    ]);
  });

  it("end where another attempt begins a model's text again, unless the client wants all events", async () => {
    const reset = { type: "reset", id: "5.0", step: "m/1" };
    const { run } = storedRun([chunk, reset, chunk, ended(agentOutput)]);
    const whole = storedRun([chunk, reset, chunk, ended(agentOutput)]).run;

    expect(await readAll(run)).toMatchObject([chunk, { type: "failure", id: "5.0", error: { code: "interrupted" } }]);
    const types = (await readAll(whole, { isWhole: true })).map(({ type }) => type);
    expect(types).toEqual(["chunk", "reset", "chunk", "end"]);
  });

  it("stop with neither an end nor a failure once the client has left", async () => {
    const { run } = storedRun([chunk]);
    const events = run.events();
    expect((await events.next()).value).toEqual(chunk);
    const next = events.next();
    run.disconnect();

    expect(await next).toEqual({ done: true, value: undefined });
    const early = storedRun([chunk]);
    early.run.leave();
    expect([await readAll(early.run), early.asked.mock.calls]).toEqual([[], []]);
  });

  it("reject with interrupted when a shutdown ends the answer, and then let the shutdown go on", async () => {
    const followers = new Followers();
    const { run } = storedRun([], { followers });
    const next = run.events().next();
    const closing = followers.endAll();

    await expect(next).rejects.toMatchObject({ code: "interrupted" });
    await closing;
    expect(() => storedRun([], { followers }).run.events()).toThrow(expect.objectContaining({ code: "interrupted" }));
  });

  it("are whole for a client that has its end when a shutdown begins", async () => {
    const followers = new Followers();
    const events = storedRun([ended(agentOutput)], { followers }).run.events();
    expect((await events.next()).value).toMatchObject({ type: "end" });
    const closing = followers.endAll();

    expect(await events.next()).toEqual({ done: true, value: undefined });
    await closing;
  });

  it("reject with the error of a log that cannot be read", async () => {
    const failure = new TroupeError("storage_unavailable", "Down.");
    const service = {
      async *events() {
        yield await Promise.reject<object>(failure);
      },
    };

    await expect(
      storedRun([], { service: service as never })
        .run.events()
        .next(),
    ).rejects.toBe(failure);
  });

  it("are let go when they are left before their end", async () => {
    const { run, returned } = storedRun([chunk, chunk]);
    for await (const event of run.events()) {
      expect(event).toEqual(chunk);
      break;
    }

    expect([returned.mock.calls.length, run.signal.aborted]).toEqual([1, false]);
  });
});

describe("the result of a stored run", () => {
  it("is its public output, of an agent or of a workflow, and its events are let go", async () => {
    const { run, returned } = storedRun([chunk, ended(agentOutput)]);
    const workflow = storedRun([ended({ status: "completed", state: {}, secret: 1 })], { kind: "workflow" }).run;

    const [own, other] = [await run.settled(), await workflow.settled()];
    expect([own, other]).toMatchObject([{ output: { text: "Hé." } }, { output: { status: "completed", state: {} } }]);
    for (const settled of [own, other]) expect(settled?.output).not.toHaveProperty("secret");
    expect(returned).toHaveBeenCalledOnce();
  });

  it("is its view while it waits, and the output of a view that is over by then", async () => {
    const waiting = { status: "waiting", attempts: 1, waits: [] };
    const completed = { status: "completed", attempts: 1, output: agentOutput };
    const { run, returned } = storedRun([attempt(1), wait], { views: [waiting] });

    expect(await run.settled()).toEqual({ waiting });
    expect(returned).toHaveBeenCalledOnce();
    expect(await storedRun([attempt(1), wait], { views: [completed] }).run.settled()).toMatchObject({
      output: { text: "Hé." },
    });
  });

  it.each([
    ["by the end of its log", [failed], []],
    ["by its view", [attempt(1), wait], [{ ...failed, status: "error", attempts: 1 }]],
  ])("is the failure of the run, known %s, with the id of the run", async (_how, events, views) => {
    const { run, returned } = storedRun(events, { views });

    await expect(run.settled()).rejects.toMatchObject({
      code: "model_failed",
      message: "No.",
      output: { runId: "r", usage: {} },
    });
    expect(returned).toHaveBeenCalledOnce();
  });

  it("is nothing once the client has left, and interrupted by a shutdown", async () => {
    const followers = new Followers();
    const [gone, other] = [storedRun([]).run, storedRun([], { followers }).run];
    const settled = [gone.settled(), other.settled()];
    gone.leave();
    const closing = followers.endAll();

    expect(await settled[0]).toBeUndefined();
    await expect(settled[1]).rejects.toMatchObject({ code: "interrupted" });
    await closing;
  });
});

describe("a client that disconnects", () => {
  it.each([
    [true, [["r", "host", "The client disconnected."]]],
    [false, []],
    [undefined, []],
  ])("ends its answer, and cancels the run if that ends with it: %s", async (endsWithClient, cancelled) => {
    const { run, cancel } = storedRun([], { endsWithClient });
    const next = run.follow().next();
    run.disconnect();

    expect(await next).toBeUndefined();
    expect(cancel.mock.calls).toEqual(cancelled);
  });

  it("leaves no failure behind where the run cannot be cancelled", async () => {
    const { run, cancel } = storedRun([], { endsWithClient: true });
    cancel.mockRejectedValueOnce(new Error("The storage is down."));
    run.disconnect();
    await new Promise(setImmediate);

    expect(cancel).toHaveBeenCalledOnce();
  });
});

describe("a stored run", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 50_000, toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  it("has what it is made of, and its view by its id for its caller", async () => {
    const over = Promise.resolve();
    const view = { status: "running" };
    const { run, service, get } = storedRun([], { over, isDurable: false, views: [view], caller: { userId: "ada" } });

    expect(run).toMatchObject({
      runId: "r",
      sessionId: "s",
      kind: "agent",
      name: "a",
      isStored: true,
      isDurable: false,
    });
    expect([run.service, run.over, run.caller]).toEqual([service, over, { userId: "ada" }]);
    expect(await run.view()).toBe(view);
    expect(get.mock.calls).toEqual([["r", { userId: "ada" }]]);
  });

  it("has no events any more once it has been over for longer than resumeMs, if it is in memory", () => {
    const [inMemory, durable] = [storedRun([], { isDurable: false }).run, storedRun([]).run];
    const check = (run: ServedStoredRun, endedAt?: number) => run.checkReadable({ endedAt } as never);
    for (const endedAt of [undefined, 50_000, 49_000]) expect(() => check(inMemory, endedAt)).not.toThrow();
    expect(() => check(durable, 0)).not.toThrow();

    const message = "The events of this run are not kept any more. Ask for the run itself, by its id.";
    expect(() => check(inMemory, 48_999)).toThrow(expect.objectContaining({ code: "gone", message }));
    expect(() => check(inMemory, 0)).toThrow(expect.objectContaining({ code: "gone", message }));
  });
});
