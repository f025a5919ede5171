import { setImmediate as soon } from "node:timers/promises";
import type { ClientEvent, ClientRunOptions, ClientStream, RunIds } from "@troupe-internal/client";
import { act } from "react";
import { describe, expect, it, vi } from "vitest";
import { showHook } from "../test/show-hook.ts";
import { useRun } from "./react.ts";
import type { RunState } from "./react.ts";

/** A run whose events and ids come when the test says so. It ignores its signal, as a slow connection does. */
function heldRun() {
  const begun = Promise.withResolvers<RunIds>();
  begun.promise.catch(() => undefined);
  const ended = Promise.withResolvers<undefined>();
  ended.promise.catch(() => undefined);
  const waiting: ClientEvent[] = [];
  let wake = Promise.withResolvers<undefined>();
  const cancel = vi.fn<() => Promise<void>>(async () => await Promise.resolve());
  async function* read(): AsyncGenerator<ClientEvent> {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if ((await Promise.race([wake.promise.then(() => true), ended.promise])) === undefined) return;
      else wake = Promise.withResolvers();
    }
  }
  const settled = async (change: () => void): Promise<void> =>
    await act(async () => {
      change();
      await soon();
    });
  return {
    stream: Object.assign(read(), { ids: begun.promise, cancel }) as unknown as ClientStream,
    cancel,
    begin: async (runId: string) => await settled(() => begun.resolve({ runId, sessionId: `of ${runId}` })),
    send: async (...events: ClientEvent[]) =>
      await settled(() => {
        waiting.push(...events);
        wake.resolve(undefined);
      }),
    end: async () => await settled(() => ended.resolve(undefined)),
    fail: async (error: Error) => await settled(() => ended.reject(error)),
  };
}

type Started = { readonly input: string; readonly signal: AbortSignal | undefined };

/** Shows `useRun` with the runs, in the order in which they are started. */
function showRuns(...runs: ReturnType<typeof heldRun>[]) {
  const started: Started[] = [];
  const stream = (input: string, options: ClientRunOptions = {}): ClientStream => {
    started.push({ input, signal: options.signal });
    const run = runs[started.length - 1];
    if (run === undefined) throw new Error("One run more than expected was started.");
    return run.stream;
  };
  const onEvent = vi.fn<(event: { type: string }) => void>();
  const use = (listener: typeof onEvent) => useRun<string>({ stream }, { onEvent: listener });
  const shown = showHook(use, onEvent);
  const start = async (input: string, options?: ClientRunOptions) =>
    await act(async () => {
      void shown.latest().start(input, options);
      await soon();
    });
  const state = (): RunState => {
    const { start: _, cancel: __, ...rest } = shown.latest();
    return rest;
  };
  return { ...shown, started, onEvent, start, state };
}

const idle: RunState = {
  status: "idle",
  runId: undefined,
  sessionId: undefined,
  text: "",
  thinking: "",
  sources: [],
  waits: [],
  usage: undefined,
  error: undefined,
};
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const source = { type: "source", id: "s1", url: "https://example.org/ä" } as const;
const question = (number: number) =>
  ({ type: "wait", waitId: `w${number}`, kind: "approval", about: {}, toolCallId: `c${number}` }) as const;
const resultOf = (number: number) =>
  ({ type: "tool_result", toolCallId: `c${number}`, toolName: "pay", result: "Paid." }) as const;

describe("useRun", () => {
  it("shows the ids and the answer as they come, without what a team's members say beside it", async () => {
    const run = heldRun();
    const { start, state, started } = showRuns(run);
    expect(state()).toEqual(idle);
    await start("Où?");
    expect(state()).toEqual({ ...idle, status: "running" });
    await run.begin("r1");
    await run.send({ type: "thinking", text: "Hm" }, { type: "text", text: "It " }, source);
    await run.send({ type: "text", text: "unseen", member: "ann" }, { type: "text", text: "is." });

    const shown = { ...idle, runId: "r1", sessionId: "of r1", thinking: "Hm", text: "It is.", sources: [source] };
    expect(state()).toEqual({ ...shown, status: "running" });
    await run.send({ type: "finish", usage });
    await run.end();
    expect(state()).toEqual({ ...shown, status: "completed", usage });
    expect(started.map(({ input }) => input)).toEqual(["Où?"]);
  });

  it("ends the reading of a run when the next one starts, of which alone it shows the rest", async () => {
    const [first, second, third] = [heldRun(), heldRun(), heldRun()];
    const { start, state, started } = showRuns(first, second, third);
    await start("one");
    await first.send({ type: "text", text: "first" });
    await start("two");
    expect(started.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
    expect(state()).toEqual({ ...idle, status: "running" });
    await second.send({ type: "text", text: "second" });
    await first.begin("r1");
    await first.send({ type: "text", text: "late" });
    await first.fail(new Error("late"));
    expect(state()).toMatchObject({ status: "running", runId: undefined, text: "second", error: undefined });

    await second.fail(new Error("lost"));
    expect(state()).toMatchObject({ status: "failed", error: { message: "lost" } });
    await start("three");
    expect(state()).toEqual({ ...idle, status: "running" });
  });

  it("ends the reading with its component, and shows nothing any more", async () => {
    const run = heldRun();
    const { start, state, started, close } = showRuns(run);
    await start("one");
    await run.send({ type: "text", text: "seen" });
    close();
    expect(started[0]?.signal?.aborted).toBe(true);
    await run.send({ type: "text", text: "late" });

    expect(state().text).toBe("seen");
  });

  it("shows nothing of before a restart but the ids", async () => {
    const run = heldRun();
    const { start, state } = showRuns(run);
    await start("one");
    await run.begin("r1");
    await run.send({ type: "text", text: "a" }, { type: "thinking", text: "b" }, source, question(1));
    await run.send({ type: "restart" });

    expect(state()).toEqual({ ...idle, status: "running", runId: "r1", sessionId: "of r1" });
  });

  it("waits until each of several questions has its result, in any order, and again in a second round", async () => {
    const run = heldRun();
    const { start, state } = showRuns(run);
    const shown = () => [state().status, state().waits.map(({ waitId }) => waitId)];
    await start("one");
    for (let round = 1; round <= 2; round++) {
      await run.send(question(1), question(2), question(3));
      expect(shown()).toEqual(["waiting", ["w1", "w2", "w3"]]);
      await run.send(resultOf(2));
      expect(shown()).toEqual(["waiting", ["w1", "w3"]]);
      await run.send(resultOf(9), resultOf(3), resultOf(1));
      expect(shown()).toEqual(["running", []]);
      await run.send(resultOf(1));
      expect(shown()).toEqual(["running", []]);
    }
    await run.send(question(4));
    await run.fail(new Error("lost"));
    expect(shown()).toEqual(["failed", []]);
  });

  it("shows the chunks of a workflow's steps, whose ends are not that of the run", async () => {
    const run = heldRun();
    const { start, state } = showRuns(run);
    await start("one");
    await run.send(
      { type: "chunk", step: "plan", chunk: { type: "text", text: "Plan." } },
      { type: "chunk", step: "plan", chunk: { type: "finish", usage } },
    );
    expect(state()).toMatchObject({ status: "running", text: "Plan.", usage: undefined });
    await run.send(question(1), { type: "finish", result: { state: {}, usage } });
    expect(state()).toMatchObject({ status: "completed", usage, waits: [] });
  });

  it("gives each event but a restart to the listener of the last rendering", async () => {
    const run = heldRun();
    const { start, showWith, onEvent } = showRuns(run);
    await start("one");
    await run.send({ type: "text", text: "a" }, { type: "restart" });
    const later = vi.fn<(event: { type: string }) => void>();
    showWith(later);
    await run.send(question(1));

    expect(onEvent.mock.calls).toEqual([[{ type: "text", text: "a" }]]);
    expect(later.mock.calls).toEqual([[question(1)]]);
  });

  it("cancels the newest run, and keeps its functions from one rendering to the next", async () => {
    const [first, second] = [heldRun(), heldRun()];
    const { start, latest } = showRuns(first, second);
    const { start: begin, cancel } = latest();
    await cancel();
    await start("one");
    await start("two");
    await latest().cancel();

    expect([first, second].map((run) => run.cancel.mock.calls.length)).toEqual([0, 1]);
    expect([latest().start, latest().cancel]).toEqual([begin, cancel]);
  });

  it("ends the reading by a signal of the caller too", async () => {
    const { start, started } = showRuns(heldRun());
    const abort = new AbortController();
    await start("one", { signal: abort.signal });
    abort.abort();

    expect(started[0]?.signal?.aborted).toBe(true);
  });
});
