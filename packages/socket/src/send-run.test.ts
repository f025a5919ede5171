import { TroupeError } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import type { ClientRun, ClientTail } from "@troupe/core/transport";
import { describe, expect, it, vi } from "vitest";
import type { EventOrigin, ServerEvent } from "./events.ts";
import type { RunMessage } from "./read-request.ts";
import { sendRun, sendTail } from "./send-run.ts";
import type { SocketClient } from "./socket-client.ts";

const ids = { runId: "r1", name: "helper", sessionId: "s1" };
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const output = {
  text: "Hi.",
  structured: null,
  usage,
  toolCalls: [],
  runId: "r1",
  sessionId: "s1",
  status: "completed",
  durationMs: 5,
};
const text = (value: string): StreamChunk => ({ type: "text", text: value });
const chunkOf = (value: string, more: object = {}) => ["agent.chunk", { ...ids, ...more, chunk: value }];

type Fail = (error: TroupeError, origin: EventOrigin) => void;

/** A client that has room for so many events, and then whenever it is waited for. */
function startClient(room = Infinity) {
  const sent: ServerEvent[] = [];
  const state = { room, waits: [] as ServerEvent[], wait: async () => void (state.room = 1) as void | Promise<void> };
  const client = {
    get hasRoom() {
      return state.room > 0;
    },
    untilRoom: async (event: ServerEvent) => {
      state.waits.push(event);
      await state.wait();
    },
    send: (event: ServerEvent) => {
      state.room--;
      sent.push(event);
    },
  } as unknown as SocketClient;
  return { client, sent, state, fail: vi.fn<Fail>() };
}

/** A run that streams these chunks, and its ends. */
function startRun(chunks: readonly StreamChunk[], end: object = output) {
  const abort = new AbortController();
  const run = {
    signal: abort.signal,
    fail: (thrown: unknown) => new TroupeError("model_failed", String(thrown)),
    end: vi.fn<() => void>(),
  };
  const stream = vi.fn<(input: unknown, opts: unknown) => unknown>(() =>
    Object.assign(
      (async function* () {
        yield* await Promise.resolve(chunks);
      })(),
      { output: end instanceof Error ? rejected(end) : Promise.resolve(end) },
    ),
  );
  const requested = { subject: { stream }, input: "Hello", opts: { runId: "r1", sessionId: "s1", userId: "ada" } };
  const message = { name: "helper", requested, idempotencyKey: undefined } as unknown as RunMessage;
  return { run, given: run as unknown as ClientRun, message, stream, abort };
}

function rejected(reason: Error): Promise<never> {
  const promise = Promise.reject(reason);
  promise.catch(() => {});
  return promise;
}

describe("the events of a run", () => {
  it("are those of its chunks, and its output", async () => {
    const { client, sent, fail } = startClient();
    const { run, given, message, stream } = startRun([text("H"), { type: "unknown" } as never, text("i.")], {
      ...output,
      messages: ["secret"],
    });
    await sendRun(client, given, { ...message, fail });
    expect(stream.mock.calls).toEqual([["Hello", { runId: "r1", sessionId: "s1", userId: "ada", signal: run.signal }]]);
    expect(sent).toEqual([chunkOf("H"), chunkOf("i."), ["agent.done", { ...ids, output }]]);
    expect([fail.mock.calls.length, run.end.mock.calls.length]).toEqual([0, 1]);
  });

  it("wait for room, each until there is some", async () => {
    const { client, sent, state, fail } = startClient(1);
    const { given, message } = startRun([text("a"), text("b")]);
    let looks = 0;
    state.wait = async () => void (state.room = ++looks % 2 === 0 ? 1 : 0);
    await sendRun(client, given, { ...message, fail });
    expect(sent).toHaveLength(3);
    expect(state.waits).toEqual([sent[1], sent[1], sent[2], sent[2]]);
  });

  it.each<[string, StreamChunk[], Error]>([
    ["with its output", [text("a")], new Error("no output")],
    ["before any chunk", [], new Error("no output")],
  ])("end with the failure of a run %s", async (_, chunks, failure) => {
    const { client, sent, fail } = startClient();
    const { run, given, message } = startRun(chunks, failure);
    await sendRun(client, given, { ...message, fail });
    expect(sent).toHaveLength(chunks.length);
    expect(fail.mock.calls).toEqual([[expect.objectContaining({ message: "Error: no output" }), ids]]);
    expect(run.end).toHaveBeenCalledOnce();
  });

  it("end while they wait for room, when the run is cancelled", async () => {
    const { client, sent, state, fail } = startClient(1);
    const { run, given, message, abort } = startRun([text("a"), text("b")]);
    state.wait = async () => {
      abort.abort(new Error("left"));
      await new Promise(() => {});
    };
    await sendRun(client, given, { ...message, fail });
    expect([sent.length, fail.mock.calls.length, run.end.mock.calls.length]).toEqual([1, 1, 1]);
  });
});

/** A tail with these events, or failures. */
function startTail(events: (object | Error)[]) {
  const left = new AbortController();
  const next = async () => {
    const event = events.shift();
    if (event instanceof Error) throw event;
    return await Promise.resolve(event);
  };
  const tail = { run: { kind: "agent" }, signal: left.signal, next, end: vi.fn<() => void>() };
  return { tail, given: tail as unknown as ClientTail, left };
}

describe("the events of a kept run", () => {
  it("have their positions, and end with the run", async () => {
    const { client, sent, fail } = startClient();
    const wait = { id: "w1", kind: "approval", about: { toolName: "pay" }, until: 9, toolCallId: "c1" };
    const { tail, given } = startTail([
      { type: "attempt", id: "1", attempt: 1 },
      { type: "chunk", id: "2", chunk: text("Hi.") },
      { type: "chunk", id: "3", chunk: { type: "finish", finishReason: "stop" } },
      { type: "wait", id: "4", wait },
      { type: "end", id: "5", status: "completed", output: { ...output, messages: ["secret"] } },
    ]);
    await sendTail(client, given, { ids, fail });
    const { id: waitId, ...asked } = wait;
    expect(sent).toEqual([
      chunkOf("Hi.", { id: "2" }),
      ["agent.wait", { ...ids, id: "4", waitId, ...asked }],
      ["agent.done", { ...ids, id: "5", output }],
    ]);
    expect([fail.mock.calls.length, tail.end.mock.calls.length]).toEqual([0, 1]);
  });

  it("end with the failure of the run, at its position, and nothing behind it", async () => {
    const { client, sent, fail } = startClient();
    const error = { code: "model_failed", message: "It failed." };
    const { tail, given } = startTail([
      { type: "end", id: "5", status: "error", error },
      { type: "chunk", id: "6", chunk: text("Hi.") },
    ]);
    await sendTail(client, given, { ids, fail });
    expect(fail.mock.calls).toEqual([[expect.objectContaining(error), { ...ids, id: "5" }]]);
    expect([sent, tail.end.mock.calls.length]).toEqual([[], 1]);
  });

  it("wait for room", async () => {
    const { client, sent, state, fail } = startClient(0);
    const { given } = startTail([{ type: "chunk", id: "2", chunk: text("Hi.") }]);
    await sendTail(client, given, { ids, fail });
    expect(sent).toEqual([chunkOf("Hi.", { id: "2" })]);
    expect(state.waits).toEqual(sent);
  });

  it.each<[string, unknown, number]>([
    ["are told of a failure", undefined, 1],
    ["are told of a failure to a client that has to leave", new TroupeError("interrupted", "The service ends."), 1],
    ["end without a word for a client that has left", new Error("left"), 0],
  ])("%s", async (_, reason, count) => {
    const { client, fail } = startClient();
    const failure = new TroupeError("interrupted", "The service ends.");
    const { tail, given, left } = startTail([failure]);
    if (reason !== undefined) left.abort(reason);
    await sendTail(client, given, { ids, fail });
    expect(fail.mock.calls).toEqual(Array.from({ length: count }, () => [failure, ids]));
    expect(tail.end).toHaveBeenCalledOnce();
  });

  it("end while they wait for room, when the client leaves", async () => {
    const { client, sent, state, fail } = startClient(0);
    const { tail, given, left } = startTail([{ type: "chunk", id: "2", chunk: text("Hi.") }]);
    state.wait = async () => {
      left.abort();
      await new Promise(() => {});
    };
    await sendTail(client, given, { ids, fail });
    expect([sent, fail.mock.calls.length, tail.end.mock.calls.length]).toEqual([[], 0, 1]);
  });
});
