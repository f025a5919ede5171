import { TroupeError } from "@troupe/core";
import { noUsage } from "@troupe/core/provider";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { attempt, chunk, GivenRun } from "../../test/given-run.ts";
import { exchangeOf, WrittenResponse } from "../../test/written-response.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { answerTail, followRun } from "./answer-tail.ts";
import type { TailOptions } from "./answer-tail.ts";

/** Answers with the events of a run. */
function answer(run: GivenRun, options: Partial<TailOptions> = {}, response = new WrittenResponse()) {
  const made = exchangeOf(response);
  const tail = followRun(made.exchange, run.run, { servedRuns: run.servedRuns } as unknown as RouterSettings);
  const done = answerTail(tail, made.exchange, { heartbeatMs: 60_000, early: false, isWhole: false, ...options });
  done.catch(() => undefined);
  return { ...made, done, response };
}

const settle = async () => await new Promise((resolve) => setImmediate(resolve));

const own = { runId: "r1", apiKey: "secret-12345678" };
const usage = { ...noUsage, totalTokens: 7 };
const text = chunk("text", { text: "Hi." });
const finish = chunk("finish", { finishReason: "stop", usage });
const end = { type: "end", output: { text: "Hi.", usage } };
const reset = { type: "reset", step: "m/0" };
const broken = { type: "end", output: null, error: { code: "model_failed", message: "It broke." } };
const shown = [
  { id: "1.2", data: { type: "text", text: "Hi." } },
  { id: "1.3", data: { type: "finish", finishReason: "stop", usage } },
];
const head = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};
const interrupted = {
  code: "interrupted",
  message:
    "Another attempt took over the run, and begins this part of the answer again. Drop its text, and read the events behind this one, or ask for the run by its id.",
  runId: "r1",
};

describe("followRun", () => {
  it("lets the tail go when its client leaves", () => {
    const response = new WrittenResponse();
    const run = new GivenRun();
    const settings = { servedRuns: run.servedRuns } as unknown as RouterSettings;
    expect(followRun(exchangeOf(response).exchange, run.run, settings)).toBe(run.tail);
    expect(run.told).toEqual([["follow", run.run]]);
    response.leave();
    expect(run.told.slice(1)).toEqual(["leave"]);
  });

  it("lets the tail go at once for a client that has left before", () => {
    const response = Object.assign(new WrittenResponse(), { destroyed: true });
    const run = new GivenRun();
    followRun(exchangeOf(response).exchange, run.run, { servedRuns: run.servedRuns } as unknown as RouterSettings);
    expect(run.told.slice(1)).toEqual(["leave"]);
  });
});

describe("answerTail", () => {
  it("sends the public events with their ids, and notes the tokens", async () => {
    const run = new GivenRun().give(attempt(1), text, finish, end);
    run.tail.end = () => expect.unreachable("Its caller ends the tail.");
    const { done, response, entries } = answer(run, { own });
    await done;

    expect([response.status, response.headers, response.ends, entries]).toEqual([200, head, 1, []]);
    expect(response.events).toEqual(shown.slice(0, 2));
    expect(requestRecordOf(response.asResponse)).toEqual({ tokens: 7 });
  });

  it("notes the tokens that the result of a workflow has, and none of a chunk without", async () => {
    const result = { state: {}, steps: [], status: "completed", runId: "r1", usage, durationMs: 1 };
    const workflow = new GivenRun({ kind: "workflow" }).give(chunk("finish", { result }, ""), end);
    const { done, response } = answer(workflow, { own });
    await done;
    expect(requestRecordOf(response.asResponse)).toEqual({ tokens: 7 });

    const without = answer(new GivenRun().give(chunk("text", { text: "Hi.", usage }), end), { own });
    await without.done;
    expect(requestRecordOf(without.response.asResponse)).toEqual({});
  });

  it("sends the journal too, to a client that wants all of it", async () => {
    const done = { type: "done", step: "m/0", value: null, durationMs: 4 };
    const run = new GivenRun().give(attempt(1), reset, text, done, end);
    const answered = answer(run, { isWhole: true });
    await answered.done;

    expect(answered.response.events).toEqual([
      { id: "1.1", data: { type: "attempt", attempt: 1, node: "n" } },
      { id: "1.2", data: { type: "reset", journalStep: "m/0" } },
      { id: "1.3", data: { type: "text", text: "Hi.", journalStep: "m/0" } },
      { id: "1.4", data: { type: "done", journalStep: "m/0", durationMs: 4 } },
    ]);
  });

  it.each([true, false])("sends its head before any event: %s", async (early) => {
    const run = new GivenRun().give(attempt(1));
    const { done, response } = answer(run, { early, own });
    await settle();
    expect([response.headersSent, response.body]).toEqual([early, ""]);
    run.give(end);
    await done;
    expect([response.status, response.body, response.ends]).toEqual([200, "", 1]);
  });

  it("sends a heartbeat when nothing else was sent for that long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const run = new GivenRun();
    const { done, response } = answer(run, { own, heartbeatMs: 70 });
    vi.advanceTimersByTime(69);
    expect(response.headersSent).toBe(false);
    vi.advanceTimersByTime(1);
    await settle();
    expect(response.body).toBe(": heartbeat\n\n");
    run.give(end);
    await done;
  });

  it("has no content for the events of a run that has none left", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { done, response } = answer(new GivenRun().give(attempt(1), end));
    await done;
    vi.advanceTimersByTime(60_000);

    expect([response.status, response.headers, response.body, response.ends]).toEqual([
      204,
      { "cache-control": "no-store" },
      "",
      1,
    ]);
  });

  it("sends nothing to a client that left before the head", async () => {
    const run = new GivenRun();
    const { done, response } = answer(run);
    response.leave();
    await done;
    expect([response.status, response.sentInVain, response.ends]).toEqual([undefined, 0, 0]);
  });

  it("sends nothing and logs nothing for the client of its own run that left in the middle", async () => {
    const run = new GivenRun().give(text);
    const { done, response, entries } = answer(run, { own });
    await settle();
    response.leave();
    await done;
    expect([response.sentInVain, response.events.length, entries]).toEqual([0, 1, []]);
  });

  it("reads no further event while its reader is behind", async () => {
    const response = Object.assign(new WrittenResponse(), { isFull: true });
    const run = new GivenRun().give(chunk("text", { text: "a".repeat(20_000) }), text, end);
    const { done } = answer(run, { own }, response);
    await settle();
    expect(run.told.filter((each) => each === "next")).toHaveLength(1);
    response.drain();
    await done;
    expect(response.events).toHaveLength(2);
  });
});

describe("a failure", () => {
  const model = expect.objectContaining({ code: "model_failed", message: "It broke.", runId: "r1" }) as object;
  const service = { code: "storage_unavailable", message: "The storage cannot be used at the moment." };
  const thrown = new TroupeError("storage_unavailable", "No storage.");

  it.each<[string, GivenRun, Partial<TailOptions>, string]>([
    ["of the request's own run", new GivenRun().give(broken), { own }, "model_failed"],
    ["of the service", new GivenRun().give(thrown), {}, "storage_unavailable"],
    ["of the service in the request's own run", new GivenRun().give(thrown), { own }, "storage_unavailable"],
  ])(
    "%s is the answer as long as nothing was sent, and is logged by whoever answers",
    async (_, ...[run, options, code]) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
      onTestFinished(() => void vi.useRealTimers());
      const { done, response, entries } = answer(run, options);
      await expect(done).rejects.toMatchObject({ code });
      vi.advanceTimersByTime(60_000);
      expect([response.status, response.body, response.ends, entries]).toEqual([undefined, "", 0, []]);
    },
  );

  it.each<[string, GivenRun, Partial<TailOptions>, { id?: string; data: object }, number]>([
    ["of the request's own run", new GivenRun().give(broken), { own }, { id: "1.1", data: model }, 1],
    ["of a run of another request", new GivenRun().give(broken), {}, { id: "1.1", data: model }, 0],
    ["of the service", new GivenRun().give(thrown), { own }, { data: service }, 1],
    ["of the service, for another request", new GivenRun().give(thrown), {}, { data: service }, 0],
  ])("%s is an event behind the head, with the id of the end alone", async (_, ...[run, options, expected, logs]) => {
    const { done, response, entries } = answer(run, { ...options, early: true });
    await done;
    const { id, data } = expected;
    expect(response.events).toEqual([{ id, data: { type: "error", error: data } }]);
    expect([response.ends, entries.length]).toEqual([1, logs]);
  });

  it("is logged with its request and run, and without the run's keys", async () => {
    const error = { code: "internal", message: "secret-12345678 broke." };
    const { done, entries } = answer(new GivenRun().give(text, { ...broken, error }), { own });
    await done;
    expect(entries).toMatchObject([{ level: "error", requestId: "q1", runId: "r1" }]);
    expect(JSON.stringify(entries)).not.toContain("secret-");
  });

  it.each([undefined, own])(
    "that another attempt begins anew has status 200 and is never logged, with own %j",
    async (run) => {
      const { done, response, entries } = answer(new GivenRun().give(reset), { own: run });
      await done;
      expect([response.status, response.ends, entries]).toEqual([200, 1, []]);
      expect(response.events).toEqual([{ id: "1.1", data: { type: "error", error: interrupted } }]);
    },
  );

  it("of a run of another request has status 200 before anything was sent", async () => {
    const { done, response } = answer(new GivenRun().give(broken));
    await done;
    expect([response.status, response.events]).toEqual([200, [{ id: "1.1", data: { type: "error", error: model } }]]);
  });
});
