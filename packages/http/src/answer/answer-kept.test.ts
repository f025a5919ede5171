import { TroupeError } from "@troupe/core";
import { noUsage } from "@troupe/core/provider";
import type { ClientTail } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { GivenRun, chunk } from "../../test/given-run.ts";
import { exchangeOf, WrittenResponse } from "../../test/written-response.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import { acceptKept, answerKeptRun, answerKeptStream } from "./answer-kept.ts";
import type { KeptCall } from "./answer-kept.ts";

type Given = {
  run?: GivenRun;
  /** Where `untilPaused` of the run's tail ends. */
  paused?: Promise<unknown> | object;
  query?: { early?: boolean; endsWithClient?: boolean };
  headers?: Record<string, string>;
  request?: object;
  accept?: () => Promise<object>;
  kind?: "agent" | "workflow";
  isDraining?: boolean;
};

/** Makes a call whose run is kept, with what its service and its settings are told. */
function callOf({
  run = new GivenRun(),
  paused,
  query,
  headers = {},
  request = {},
  isDraining = false,
  ...more
}: Given) {
  const { kind = "agent", accept = async () => ({ runId: "r1", sessionId: "s1", over: Promise.resolve() }) } = more;
  const response = new WrittenResponse();
  response.setHeader("X-Run-Id", "unused").setHeader("X-Session-Id", "unused");
  const made = exchangeOf(response, { headers, baseUrl: "/api", httpVersion: "1.1", ...request });
  Object.assign(run.tail, { untilPaused: async () => await paused });
  const servedRuns = {
    follow: (followed: unknown): ClientTail => {
      run.told.push(["follow", followed]);
      return run.tail;
    },
    isDraining,
    checkOpen: () => run.told.push("checkOpen"),
    checkKept: (found: unknown) => run.told.push(["checkKept", found]),
    accept: async (...asked: unknown[]) => {
      run.told.push(["accept", ...asked]);
      return await accept();
    },
  };
  const owner = { userId: "ada" };
  const opts = { runId: "unused", sessionId: "unused", apiKey: "secret-12345678" };
  const runRequest = { owner, opts, query: { early: false, endsWithClient: false, ...query } };
  const target = { service: run.run.service, kind, name: "a" };
  const settings = { servedRuns, heartbeatMs: 60_000 };
  const call = { exchange: made.exchange, runRequest, target, settings } as unknown as KeptCall;
  const followed = { service: target.service, runId: "r1", sessionId: "s1", kind, caller: owner };
  return { ...made, call, run, response, runRequest, target, followed };
}

const usage = { ...noUsage, totalTokens: 7 };
const output = {
  text: "Hi.",
  toolCalls: [],
  structured: null,
  usage,
  runId: "r1",
  sessionId: "s1",
  messages: ["hidden"],
};
const wait = { id: "t.0.0", kind: "approval", about: { toolName: "pay", secret: 1 }, toolCallId: "t1" };
const waiting = { runId: "r1", sessionId: "s1", status: "waiting", waits: [wait], name: "a", userId: "ada" };
const ids = { "x-run-id": "r1", "x-session-id": "s1", "content-location": "/api/runs/r1" };
const json = (text: string) => ({
  "content-type": "application/json; charset=utf-8",
  "content-length": Buffer.byteLength(text),
  "cache-control": "no-store",
});
const settle = async () => await new Promise((resolve) => setImmediate(resolve));

describe("acceptKept", () => {
  it("has its service accept the run, and sets the ids and the place of the run that it gets", async () => {
    const { call, run, response, runRequest, target, followed, request } = callOf({});
    expect(await acceptKept(call)).toEqual(followed);
    expect(run.told).toEqual(["checkOpen", ["accept", runRequest, target]]);
    expect(response.headers).toEqual(ids);
    expect(request["next"]).toBeUndefined();
    expect(requestRecordOf(response.asResponse)).toEqual({ runId: "r1", runEnd: expect.any(Promise) as object });
  });

  it.each([true, false])("closes its connection while draining: %s", async (isDraining) => {
    const { call, response } = callOf({ isDraining });
    await acceptKept(call);
    expect(response.headers["connection"]).toBe(isDraining ? "close" : undefined);
  });

  it("leaves no ids of a run that is refused, and what the request brought is held no longer", async () => {
    const error = new TroupeError("rate_limited", "Too many.");
    const { call, response } = callOf({ accept: () => Promise.reject(error) });
    await expect(acceptKept(call)).rejects.toBe(error);
    expect(response.headers).toEqual({});
    expect(requestRecordOf(response.asResponse).runId).toBeUndefined();
    await requestRecordOf(response.asResponse).runEnd;
  });

  it("notes the end of the run before it is accepted, and that is over with the run alone", async () => {
    const accepted = Promise.withResolvers<object>();
    const over = Promise.withResolvers<void>();
    const { call, response } = callOf({ accept: () => accepted.promise });
    const accepting = acceptKept(call);
    let isOver = false;
    void requestRecordOf(response.asResponse).runEnd?.then(() => (isOver = true));
    accepted.resolve({ runId: "r1", sessionId: "s1", over: over.promise });
    await accepting;
    await settle();
    expect(isOver).toBe(false);
    over.resolve();
    await settle();
    expect(isOver).toBe(true);
  });
});

describe("answerKeptRun", () => {
  it.each<["agent" | "workflow", object, object]>([
    ["agent", output, { text: "Hi.", toolCalls: [], structured: null, usage, runId: "r1", sessionId: "s1" }],
    [
      "workflow",
      { state: { n: 1 }, steps: [], status: "completed", usage, runId: "r1", durationMs: 1, x: 1 },
      { state: { n: 1 } },
    ],
  ])("sends the public output of an %s, notes its tokens and lets the run go", async (kind, whole, shown) => {
    const { call, run, response, followed } = callOf({ kind, paused: { type: "end", output: whole } });
    await answerKeptRun(call);
    expect(JSON.parse(response.body)).toMatchObject(shown);
    expect(response.body).not.toMatch(/hidden|"x"/);
    expect([response.status, response.headers]).toEqual([200, { ...ids, ...json(response.body) }]);
    expect(requestRecordOf(response.asResponse).tokens).toBe(7);
    expect(run.told.slice(2)).toEqual([["follow", followed]]);
    expect([run.ends, response.ends, response.hints]).toEqual([1, 1, []]);
  });

  it("answers at once where the client prefers that, without following the run", async () => {
    const { call, run, response } = callOf({ headers: { prefer: "respond-async" } });
    run.views = [{ runId: "r1", sessionId: "s1", status: "queued", name: "a" }];
    await answerKeptRun(call);
    expect(response.body).toBe('{"runId":"r1","sessionId":"s1","status":"queued"}');
    const accepted = { location: "/api/runs/r1", "retry-after": 1, "preference-applied": "respond-async" };
    expect([response.status, response.headers]).toEqual([202, { ...ids, ...accepted, ...json(response.body) }]);
    expect(run.told.slice(2)).toEqual([["get", "r1", { userId: "ada" }]]);
  });

  it("answers a run that waits with its public questions, and notes no preference", async () => {
    const { call, run, response } = callOf({ paused: waiting });
    await answerKeptRun(call);
    expect(JSON.parse(response.body)).toEqual({
      runId: "r1",
      sessionId: "s1",
      status: "waiting",
      waits: [expect.objectContaining({ waitId: "t.0.0", kind: "approval", toolCallId: "t1" })],
    });
    const accepted = { location: "/api/runs/r1", "retry-after": 1 };
    expect([response.status, response.headers]).toEqual([202, { ...ids, ...accepted, ...json(response.body) }]);
    expect([run.ends, requestRecordOf(response.asResponse).tokens]).toEqual([1, undefined]);
  });

  it("sends the output of a run that was over at the look behind a question", async () => {
    const { call, response } = callOf({ paused: { ...waiting, status: "completed", output } });
    await answerKeptRun(call);
    expect([response.status, JSON.parse(response.body)]).toMatchObject([200, { text: "Hi." }]);
  });

  it("rejects with the failure of its run, and lets the run go", async () => {
    const error = { code: "rate_limited", message: "Too many.", retryAfterMs: 5 };
    const { call, run, response } = callOf({ paused: { type: "end", output: null, error } });
    await expect(answerKeptRun(call)).rejects.toMatchObject({ code: "rate_limited", message: "Too many." });
    expect([run.ends, response.ends, response.listenerCount("close")]).toEqual([1, 0, 1]);
  });

  it.each([true, false])("sends the ids before the answer, where its query says early: %s", async (early) => {
    const { call, response } = callOf({ query: { early }, paused: { type: "end", output } });
    await answerKeptRun(call);
    const link = "</api/runs/r1/cancel>; rel=related";
    expect(response.hints).toEqual(early ? [{ link, "X-Run-Id": "r1", "X-Session-Id": "s1" }] : []);
  });

  it("sends nothing to a client that has left, also where the run is over at the same time", async () => {
    for (const last of [undefined, { type: "end", output }]) {
      const paused = Promise.withResolvers<unknown>();
      const { call, run, response } = callOf({ paused: paused.promise });
      const done = answerKeptRun(call);
      await settle();
      response.leave();
      paused.resolve(last);
      await done;
      expect([response.status, response.sentInVain, run.ends]).toEqual([undefined, 0, 1]);
      expect(run.told.at(-1)).toBe("leave");
    }
  });

  it.each([true, false])(
    "cancels the run of a client that leaves, if it ends with it: %s, and not once it is over",
    async (endsWithClient) => {
      const paused = Promise.withResolvers<unknown>();
      const { call, run, response } = callOf({ paused: paused.promise, query: { endsWithClient } });
      const done = answerKeptRun(call);
      await settle();
      response.leave();
      const cancel = ["cancel", "r1", { userId: "ada" }, "The client disconnected."];
      expect(run.told.slice(3)).toEqual(endsWithClient ? ["leave", cancel] : ["leave"]);
      paused.resolve(undefined);
      await done;
    },
  );
});

describe("answerKeptStream", () => {
  const end = { type: "end", output: { usage } };

  it("sends events, and lets the run go", async () => {
    const run = new GivenRun().give(chunk("text", { text: "Hi." }), end);
    const { call, response, followed } = callOf({ run });
    await answerKeptStream(call);
    expect(response.events).toEqual([{ id: "1.1", data: { type: "text", text: "Hi." } }]);
    expect(response.headers).toMatchObject(ids);
    expect(run.told.slice(2, 3)).toEqual([["follow", { ...followed, after: undefined }]]);
    expect([run.ends, response.ends]).toEqual([1, 1]);
  });

  it("goes on behind the last event, if those of the run are still kept", async () => {
    const run = new GivenRun().give(end);
    run.views = [{ status: "completed" }];
    const { call, followed } = callOf({ run, headers: { "last-event-id": "2.0" } });
    await answerKeptStream(call);
    expect(run.told.slice(2, 5)).toEqual([
      ["get", "r1", { userId: "ada" }],
      ["checkKept", { service: followed.service, run: { status: "completed" } }],
      ["follow", { ...followed, after: "2.0" }],
    ]);
  });

  it("has status 200 for its own run without events", async () => {
    const { call, response } = callOf({ run: new GivenRun().give(end) });
    await answerKeptStream(call);
    expect([response.status, response.body]).toEqual([200, ""]);
  });

  it("logs a failure behind its first event with the id of the run that was accepted, and hides the key", async () => {
    const error = { code: "internal", message: "secret-12345678 broke." };
    const run = new GivenRun().give(chunk("text", { text: "Hi." }), { type: "end", output: null, error });
    const { call, entries } = callOf({ run });
    await answerKeptStream(call);
    expect(entries).toMatchObject([{ level: "error", runId: "r1", requestId: "q1" }]);
    expect(JSON.stringify(entries)).not.toContain("secret-");
  });

  it.each([true, false])("sends its head at once, where its query says early: %s", async (early) => {
    const { call, run, response } = callOf({ query: { early, endsWithClient: true } });
    const done = answerKeptStream(call);
    await settle();
    expect([response.headersSent, response.hints]).toEqual([early, []]);
    response.leave();
    await done;
    expect(run.told).toContainEqual(["cancel", "r1", { userId: "ada" }, "The client disconnected."]);
    expect([run.ends, response.sentInVain]).toEqual([1, 0]);
  });
});
