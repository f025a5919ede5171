import { TroupeError } from "@troupe/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { attempt, chunk, GivenRun } from "../../test/given-run.ts";
import { answer, end, keepPauses, own, settle, start } from "../../test/ui-answer.ts";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { requestRecordOf } from "@troupe/core/transport";

const head = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};
const hi = [
  start,
  { type: "start-step" },
  { type: "text-start", id: "text-1" },
  { type: "text-delta", id: "text-1", delta: "Hi." },
];
describe("answerUi", () => {
  it("sends a whole message without ids of events, notes its tokens and lets the run go", async () => {
    const { pauses } = keepPauses();
    const run = new GivenRun().give(attempt(1), chunk("text", { text: "Hi." }), end);
    const { done, response, entries, sent } = answer(run, { own });
    await done;

    expect([response.status, response.headers]).toEqual([200, head]);
    expect(sent()).toEqual([
      ...hi,
      { type: "text-end", id: "text-1" },
      { type: "finish-step" },
      {
        type: "finish",
        finishReason: "stop",
        messageMetadata: { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } },
      },
      "[DONE]",
    ]);
    expect(response.events.map(({ id }) => id)).toEqual(sent().map(() => undefined));
    expect([response.ends, run.ends, entries]).toEqual([1, 1, []]);
    expect(requestRecordOf(response.asResponse)).toEqual({ tokens: 7 });
    expect(run.told).toEqual(["follow", "next", "next", "next"]);
    expect(pauses).toEqual([]);
  });

  it.each([true, false])("sends its head before any event: %s, as its request asks", async (early) => {
    const run = new GivenRun().give(attempt(1));
    const { done, response, sent } = answer(run, { early, own });
    await settle();
    expect([response.headersSent, sent()]).toEqual([early, []]);

    run.give(chunk("text", { text: "Hi." }));
    await settle();
    expect(sent()).toEqual(hi);
    run.give(end);
    await done;
  });

  it("sends a heartbeat when nothing else was sent for that long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const run = new GivenRun();
    const { done, response } = answer(run, { own });
    vi.advanceTimersByTime(699);
    expect(response.headersSent).toBe(false);
    vi.advanceTimersByTime(1);
    await settle();
    expect(response.body).toBe(": heartbeat\n\n");
    run.give(end);
    await done;
  });

  it("rejects with the failure of its own run as long as nothing was sent, without the head of a stream, also later", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const error = new TroupeError("internal", "It broke.");
    const run = new GivenRun().give(error);
    const { done, response, entries } = answer(run, { own });

    await expect(done).rejects.toBe(error);
    vi.advanceTimersByTime(60_000);
    expect([response.status, response.headers, response.body]).toEqual([undefined, {}, ""]);
    expect([response.ends, run.ends, entries]).toEqual([0, 1, []]);
  });

  it("sends the failure of its own run as an error behind the head, and logs it without its keys", async () => {
    const run = new GivenRun().give(new TroupeError("internal", "secret-12345678 broke."));
    const { done, entries, sent, response } = answer(run, { own, early: true });
    await done;

    expect(sent()).toEqual([
      start,
      { type: "message-metadata", messageMetadata: { error: { code: "internal" } } },
      { type: "error", errorText: expect.any(String) as string },
      "[DONE]",
    ]);
    expect(entries).toMatchObject([{ level: "error", requestId: "q1", runId: "r1" }]);
    expect(JSON.stringify([entries, sent()])).not.toContain("secret-");
    expect([response.ends, run.ends]).toEqual([1, 1]);
  });

  it("sends the failure of a run that is not the request's own with status 200, and does not log it", async () => {
    const run = new GivenRun().give(new TroupeError("internal", "It broke."));
    const { done, entries, sent, response } = answer(run);
    await done;

    expect(response.status).toBe(200);
    expect(sent().map((data) => (data as { type?: string }).type)).toEqual([
      "start",
      "message-metadata",
      "error",
      undefined,
    ]);
    expect(entries).toEqual([]);
  });

  it("closes the text that is open before the error of a run that failed at its end", async () => {
    const error = { code: "rate_limited", message: "Too many.", retryAfterMs: 5 };
    const run = new GivenRun().give(attempt(1), chunk("text", { text: "Hi." }), { type: "end", output: null, error });
    const { done, sent, response, entries } = answer(run, { own });
    await done;

    expect(sent().slice(hi.length)).toEqual([
      { type: "text-end", id: "text-1" },
      {
        type: "message-metadata",
        messageMetadata: { error: expect.objectContaining({ code: "rate_limited", runId: "r1" }) as object },
      },
      { type: "error", errorText: "Too many." },
      "[DONE]",
    ]);
    expect(requestRecordOf(response.asResponse)).toEqual({});
    expect(entries).toEqual([]);
  });

  it("sends nothing and logs nothing more for a client that has left, and marks no end of the message", async () => {
    const run = new GivenRun().give(attempt(1), chunk("text", { text: "Hi." }));
    const { done, response, entries, sent } = answer(run, { own });
    await settle();
    response.leave();
    await done;

    expect(sent()).toEqual(hi);
    expect([response.sentInVain, run.ends, entries]).toEqual([0, 1, []]);
    expect(run.told.at(-1)).toBe("disconnect");
  });

  it("ends without the mark of an end where a reader is let go before the end of its run", async () => {
    const run = new GivenRun();
    const { done, response, entries } = answer(run, { early: true, own });
    run.disconnect();
    await done;

    expect([response.status, response.body, response.ends, entries]).toEqual([200, "", 1, []]);
  });

  it("reads no further event while its reader is behind", async () => {
    const response = Object.assign(new WrittenResponse(), { isFull: true });
    const run = new GivenRun().give(chunk("text", { text: "a".repeat(20_000) }), chunk("text", { text: "b" }), end);
    const { done } = answer(run, { own }, response);
    await settle();
    expect(run.told.filter((each) => each === "next")).toHaveLength(1);

    response.drain();
    await done;
    expect(run.told.filter((each) => each === "next")).toHaveLength(3);
  });
});
