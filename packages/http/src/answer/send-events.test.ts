import { RunError, TroupeError } from "@troupe/core";
import { noUsage } from "@troupe/core/provider";
import { requestRecordOf, toStoredError } from "@troupe/core/transport";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { settle } from "../../test/given-call.ts";
import { attempt, chunk, GivenRun } from "../../test/given-run.ts";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "../../test/exchange-of.ts";
import { sendEvents } from "./answer-stream.ts";
import type { StreamOptions } from "./answer-stream.ts";

/** Sends the events of a run to a client with whom the sending ends. */
function answer(run: GivenRun, options: Partial<StreamOptions> = {}, response = new WrittenResponse()) {
  const made = exchangeOf(response);
  made.exchange.onLeave(() => run.run.disconnect());
  const done = sendEvents(run.run, made.exchange, { heartbeatMs: 60_000, early: false, ...options });
  done.catch(() => undefined);
  return { ...made, done, response };
}

const own = { runId: "r1", apiKey: "secret-12345678" };
const usage = { ...noUsage, totalTokens: 7 };
const text = chunk("text", { text: "Hi." });
const finish = chunk("finish", { finishReason: "stop", usage });
const end = { type: "end", output: { text: "Hi.", usage } };
const broken = failing("model_failed", "It broke.");
const shown = [
  { id: "1.2", data: { type: "text", text: "Hi." } },
  { id: "1.3", data: { type: "finish", finishReason: "stop", usage } },
];
const head = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};
const interrupted = { code: "interrupted", message: "Another attempt took over the run.", runId: "r1" };

/** The end of a stored run that has failed. */
function failing(code: "model_failed" | "internal", message: string) {
  return { type: "failure", error: toStoredError({ code, message }, "r1", null) };
}

describe("sendEvents", () => {
  it("sends the public events with their ids, and notes the tokens", async () => {
    const run = new GivenRun().give(attempt(1), text, finish, end);
    const { done, response, entries } = answer(run, { own });
    await done;
    expect(run.ends).toBe(1);

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
    const reset = { type: "reset", step: "m/0" };
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

  it.each<[string, GivenRun, Partial<StreamOptions>, string]>([
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

  it.each<[string, GivenRun, Partial<StreamOptions>, { id?: string; data: object }, number]>([
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
    const { done, entries } = answer(new GivenRun().give(text, failing("internal", "secret-12345678 broke.")), { own });
    await done;
    expect(entries).toMatchObject([{ level: "error", requestId: "q1", runId: "r1" }]);
    expect(JSON.stringify(entries)).not.toContain("secret-");
  });

  it.each([undefined, own])(
    "a failure that another attempt begins anew has status 200 and is never logged, with own %j",
    async (run) => {
      const error = new TroupeError("interrupted", interrupted.message, { fields: { runId: "r1" } });
      const { done, response, entries } = answer(new GivenRun().give({ type: "failure", error }), { own: run });
      await done;
      expect([response.status, response.ends, entries]).toEqual([200, 1, []]);
      expect(response.events).toEqual([{ id: "1.1", data: { type: "error", error: interrupted } }]);
    },
  );

  it("a failure of a run of another request has status 200 before anything was sent", async () => {
    const { done, response } = answer(new GivenRun().give(broken));
    await done;
    expect([response.status, response.events]).toEqual([200, [{ id: "1.1", data: { type: "error", error: model } }]]);
  });

  it("notes the tokens of a run that has failed", async () => {
    const error = new RunError("model_failed", "It broke.", { output: { usage } as RunError["output"] });
    const { done, response } = answer(new GivenRun().give(text, { type: "failure", error }), { own });
    await done;
    expect(requestRecordOf(response.asResponse)).toEqual({ tokens: 7 });
  });
});

describe("a live run", () => {
  const live = () => new GivenRun({ isStored: false });

  it("numbers its events, also the failure that ends them", async () => {
    const { done, response } = answer(live().give(text, text, broken), { own });
    await done;
    expect(response.events).toMatchObject([
      { id: "1", data: { type: "text" } },
      { id: "2", data: { type: "text" } },
      { id: "3", data: { type: "error", error: { code: "model_failed" } } },
    ]);
  });

  it("is answered with its failure as long as nothing was sent", async () => {
    const { done, response } = answer(live().give(broken), { own });
    await expect(done).rejects.toMatchObject({ code: "model_failed" });
    expect([response.status, response.ends]).toEqual([undefined, 0]);
  });

  it("is answered with the error of a run that cannot begin, also where its head is wanted early", async () => {
    const run = live();
    run.run.events = () => {
      throw new TroupeError("invalid_config", "No such option.");
    };
    const { done, response } = answer(run, { own, early: true });
    await expect(done).rejects.toMatchObject({ code: "invalid_config" });
    expect([response.headersSent, response.ends]).toEqual([false, 0]);
  });

  it("sends and logs nothing for a client that has left in the middle", async () => {
    const run = live().give(text);
    const { done, response, entries } = answer(run, { own });
    await settle();
    response.leave();
    await done;
    expect([response.sentInVain, response.events.length, entries, run.ends]).toEqual([0, 1, [], 1]);
  });
});
