import { RunError, TroupeError } from "@troupe/core";
import { noUsage } from "@troupe/core/provider";
import { requestRecordOf } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { callOf, givenIds, settle } from "../../test/given-call.ts";
import { GivenRun } from "../../test/given-run.ts";
import { counter, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { answerRun } from "./answer-run.ts";

const usage = { ...noUsage, totalTokens: 7 };
const output = { text: "Hi.", toolCalls: [], structured: null, usage, runId: "r1", sessionId: "s1" };
const wait = { id: "t.0.0", kind: "approval", about: { toolName: "pay", secret: 1 }, toolCallId: "t1" };
const waiting = { runId: "r1", sessionId: "s1", status: "waiting", waits: [wait], name: "a", userId: "ada" };
const json = (text: string) => ({
  "content-type": "application/json; charset=utf-8",
  "content-length": Buffer.byteLength(text),
  "cache-control": "no-store",
});

/** Makes a call whose run comes to this. */
function callFor(settled: GivenRun["settled"], { run = new GivenRun(), ...more }: Parameters<typeof callOf>[0] = {}) {
  run.settled = settled;
  return callOf({ run, ...more });
}

describe("answerRun", () => {
  it.each([true, false])("sends the output of a run that is stored (%s), and notes its tokens", async (isStored) => {
    const { call, run, response } = callFor({ output }, { run: new GivenRun({ isStored }) });
    await answerRun(call);
    const { "content-location": place, ...ids } = givenIds;
    const expected = { ...ids, ...(isStored && { "content-location": place }), ...json(JSON.stringify(output)) };
    expect([response.status, response.headers, response.body]).toEqual([200, expected, JSON.stringify(output)]);
    expect(requestRecordOf(response.asResponse).tokens).toBe(7);
    expect(run.told.slice(3)).toEqual(["settled", "closeIfDraining"]);
    expect([response.ends, response.hints]).toEqual([1, []]);
  });

  it("answers at once where the client prefers that, without waiting for the run", async () => {
    const { call, run, response } = callFor({ output }, { headers: { prefer: "respond-async" } });
    run.view = { runId: "r1", sessionId: "s1", status: "queued", name: "a" };
    await answerRun(call);
    expect(response.body).toBe('{"runId":"r1","sessionId":"s1","status":"queued"}');
    const accepted = { location: "/api/runs/r1", "retry-after": 1, "preference-applied": "respond-async" };
    expect([response.status, response.headers]).toEqual([202, { ...givenIds, ...accepted, ...json(response.body) }]);
    expect(run.told.slice(3)).toEqual(["view"]);
  });

  it("waits for a live run, whatever its client prefers", async () => {
    const run = new GivenRun({ isStored: false });
    const { call, response } = callFor({ output }, { run, headers: { prefer: "respond-async" } });
    await answerRun(call);
    expect([response.status, response.headers["preference-applied"]]).toEqual([200, undefined]);
  });

  it("answers a run that waits with its public questions, and notes no preference", async () => {
    const { call, response } = callFor({ waiting });
    await answerRun(call);
    expect(JSON.parse(response.body)).toEqual({
      runId: "r1",
      sessionId: "s1",
      status: "waiting",
      waits: [expect.objectContaining({ waitId: "t.0.0", kind: "approval", toolCallId: "t1" })],
    });
    const accepted = { location: "/api/runs/r1", "retry-after": 1 };
    expect([response.status, response.headers]).toEqual([202, { ...givenIds, ...accepted, ...json(response.body) }]);
    expect(requestRecordOf(response.asResponse).tokens).toBeUndefined();
  });

  it("rejects with the failure of its run, and sends nothing", async () => {
    const error = new TroupeError("rate_limited", "Too many.", { fields: { retryAfterMs: 5 } });
    const { call, run, response } = callFor(Promise.reject(error));
    await expect(answerRun(call)).rejects.toBe(error);
    expect([response.ends, run.told.at(-1), requestRecordOf(response.asResponse).tokens]).toEqual([
      0,
      "closeIfDraining",
      undefined,
    ]);
  });

  it("notes the tokens of a failed run, and rejects with its error", async () => {
    const failed = new RunError("model_failed", "It broke.", { output: { usage } as RunError["output"] });
    const { call, response } = callFor(Promise.reject(failed));
    await expect(answerRun(call)).rejects.toBe(failed);
    expect(requestRecordOf(response.asResponse).tokens).toBe(7);
  });

  it.each([true, false])("sends the ids before the answer, where its query says early: %s", async (early) => {
    const { call, response } = callFor({ output }, { early });
    await answerRun(call);
    const link = "</api/runs/r1/cancel>; rel=related";
    expect(response.hints).toEqual(early ? [{ link, "X-Run-Id": "r1", "X-Session-Id": "s1" }] : []);
  });

  it("sends nothing to a client that has left, also where the run is over or waits at the same time", async () => {
    for (const last of [undefined, { output }, { waiting }]) {
      const settled = Promise.withResolvers<unknown>();
      const { call, run, response } = callFor(settled.promise);
      const done = answerRun(call);
      await settle();
      response.leave();
      settled.resolve(last);
      await done;
      expect([response.status, response.sentInVain]).toEqual([undefined, 0]);
      expect(run.told.slice(3)).toEqual(["settled", "disconnect", "closeIfDraining"]);
    }
  });

  it("disconnects no client whose whole answer was sent", async () => {
    const { call, run, response } = callFor({ output });
    await answerRun(call);
    await settle();
    expect([response.closed, run.told]).toEqual([true, expect.not.arrayContaining(["disconnect"])]);
  });
});

it.each([
  ["/agents/a/run", { text: "Hello.", toolCalls: [], structured: null }],
  ["/workflows/w/run", { state: { count: 2 }, status: "completed" }],
])("the answer to a stored run at %s has its public output alone", async (path, shown) => {
  const service = await serve({ agents: { a: talker() }, workflows: { w: counter() } });
  const body = path.startsWith("/agents") ? { input: "Hi." } : { input: { count: 1 } };
  const live = await service.post(path, body);
  const stored = await service.post(path, body, { "idempotency-key": "k1" });

  expect(stored.json).toMatchObject(shown);
  expect(stored.text).not.toMatch(/"messages"|"reasoning"/);
  expect(Object.keys(stored.json as object)).toEqual(Object.keys(live.json as object));
});
