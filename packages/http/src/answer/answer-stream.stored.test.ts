import { toStoredError } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { callOf, givenIds, settle } from "../../test/given-call.ts";
import { chunk, GivenRun } from "../../test/given-run.ts";
import { answerStream } from "./answer-stream.ts";

const end = { type: "end" };
const text = chunk("text", { text: "Hi." });

describe("answerStream", () => {
  it("sends the events of the run that was begun, with its ids, from the first one", async () => {
    const run = new GivenRun().give(text, end);
    const { call, response } = callOf({ run });
    await answerStream(call);
    expect(response.events).toEqual([{ id: "1.1", data: { type: "text", text: "Hi." } }]);
    expect(response.headers).toMatchObject(givenIds);
    expect(run.told.slice(3, 4)).toEqual([["events", { after: undefined, isWhole: false }]]);
    expect([run.ends, response.ends]).toEqual([1, 1]);
  });

  it("goes on behind the last event, if those of the run can still be read", async () => {
    const run = new GivenRun().give(end);
    run.view = { status: "completed" };
    const { call } = callOf({ run, headers: { "last-event-id": "2.0" } });
    await answerStream(call);
    expect(run.told.slice(3, 6)).toEqual([
      "view",
      ["checkReadable", { status: "completed" }],
      ["events", { after: "2.0", isWhole: false }],
    ]);
  });

  it("begins a live run from its first event, whatever its client has seen", async () => {
    const run = new GivenRun({ isStored: false }).give(end);
    const { call } = callOf({ run, headers: { "last-event-id": "2.0" } });
    await answerStream(call);
    expect(run.told.slice(3, 4)).toEqual([["events", { after: undefined, isWhole: false }]]);
  });

  it.each([true, false])("has status 200 for its own run without events, stored: %s", async (isStored) => {
    const { call, response } = callOf({ run: new GivenRun({ isStored }).give(end) });
    await answerStream(call);
    expect([response.status, response.body]).toEqual([200, ""]);
  });

  it("logs a failure behind its first event with the id of the run that was begun, and hides the key", async () => {
    const error = toStoredError({ code: "internal", message: "secret-12345678 broke." }, "r1", null);
    const run = new GivenRun().give(text, { type: "failure", error });
    const { call, entries } = callOf({ run });
    await answerStream(call);
    expect(entries).toMatchObject([{ level: "error", runId: "r1", requestId: "q1" }]);
    expect(JSON.stringify(entries)).not.toContain("secret-");
  });

  it.each([true, false])("sends its head at once, where its query says early: %s", async (early) => {
    const { call, run, response } = callOf({ early });
    const done = answerStream(call);
    await settle();
    expect([response.headersSent, response.hints]).toEqual([early, []]);
    response.leave();
    await done;
    expect(run.told.at(-1)).toBe("disconnect");
    expect([run.ends, response.sentInVain]).toEqual([1, 0]);
  });
});
