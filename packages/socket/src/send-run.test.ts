import { TroupeError } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import type { ServedRun } from "@troupe/core/transport";
import { describe, expect, it, vi } from "vitest";
import type { RunEventBase, ServerEvent } from "./events.ts";
import { sendRun } from "./send-run.ts";
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

type Fail = (error: TroupeError, origin: RunEventBase) => void;

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

type Given = object | Error;

/** A run with these events, or failures to read them, and the number of times that its reading has ended. */
function startRun(given: readonly Given[], isStored = false) {
  const left = new AbortController();
  const ended = vi.fn<() => void>();
  const events = async function* () {
    try {
      for (const event of given) {
        await Promise.resolve();
        if (event instanceof Error) throw event;
        yield event;
      }
    } finally {
      ended();
    }
  };
  const run = { isStored, signal: left.signal, events } as unknown as ServedRun;
  return { run, left, ended };
}

const chunk = (value: string, id?: string) => ({ type: "chunk", id, chunk: text(value) });
const end = (readOutput = () => Promise.resolve<unknown>(output), id?: string) => ({ type: "end", id, readOutput });

describe("the events of a live run", () => {
  it("are those of its chunks, and its output", async () => {
    const { client, sent, fail } = startClient();
    const unknown = { type: "chunk", chunk: { type: "unknown" } };
    const { run, ended } = startRun([chunk("H"), unknown, chunk("i."), end()]);
    await sendRun(client, run, { ids, fail });
    expect(sent).toEqual([chunkOf("H"), chunkOf("i."), ["agent.done", { ...ids, output }]]);
    expect([fail.mock.calls.length, ended.mock.calls.length]).toEqual([0, 1]);
  });

  it("wait for room, each until there is some", async () => {
    const { client, sent, state, fail } = startClient(1);
    const { run } = startRun([chunk("a"), chunk("b"), end()]);
    let looks = 0;
    state.wait = async () => void (state.room = ++looks % 2 === 0 ? 1 : 0);
    await sendRun(client, run, { ids, fail });
    expect(sent).toHaveLength(3);
    expect(state.waits).toEqual([sent[1], sent[1], sent[2], sent[2]]);
  });

  it.each<[string, Given[]]>([
    ["with its output", [chunk("a")]],
    ["before any chunk", []],
  ])("end with the failure of a run %s", async (_, chunks) => {
    const failures = [
      { type: "failure", error: new TroupeError("model_failed", "no output") },
      end(() => Promise.reject(new TroupeError("model_failed", "no output"))),
    ];
    for (const failure of failures) {
      const { client, sent, fail } = startClient();
      const { run, ended } = startRun([...chunks, failure]);
      await sendRun(client, run, { ids, fail });
      expect(sent).toHaveLength(chunks.length);
      expect(fail.mock.calls).toEqual([[expect.objectContaining({ message: "no output" }), ids]]);
      expect(ended).toHaveBeenCalledOnce();
    }
  });

  it("end with the failure of a run that cannot begin", async () => {
    const { client, sent, fail } = startClient();
    const { run } = startRun([]);
    run.events = () => {
      throw new TroupeError("invalid_request", "No input.");
    };
    await sendRun(client, run, { ids, fail });
    expect([sent, fail.mock.calls]).toEqual([[], [[expect.objectContaining({ code: "invalid_request" }), ids]]]);
  });

  it.each([new Error("left"), new TroupeError("unavailable", "The service ends.")])(
    "end with their failure, whatever has aborted the run: %s",
    async (reason) => {
      const { client, fail } = startClient();
      const { run, left } = startRun([new Error("lost")]);
      left.abort(reason);
      await sendRun(client, run, { ids, fail });
      expect(fail.mock.calls).toEqual([[expect.any(TroupeError), ids]]);
    },
  );

  it("end while they wait for room, when the run is cancelled", async () => {
    const { client, sent, state, fail } = startClient(1);
    const { run, left, ended } = startRun([chunk("a"), chunk("b"), end()]);
    const reason = new TroupeError("unavailable", "The service ends.");
    state.wait = async () => {
      left.abort(reason);
      await new Promise(() => {});
    };
    await sendRun(client, run, { ids, fail });
    expect([sent.length, fail.mock.calls, ended.mock.calls.length]).toEqual([1, [[reason, ids]], 1]);
  });
});

describe("the events of a stored run", () => {
  it("have their positions, and end with the run", async () => {
    const { client, sent, fail } = startClient();
    const wait = { id: "w1", kind: "approval", about: { toolName: "pay" }, until: 9, toolCallId: "c1" };
    const { run, ended } = startRun(
      [
        { type: "attempt", id: "1", attempt: 1 },
        chunk("Hi.", "2"),
        { type: "chunk", id: "3", chunk: { type: "finish", finishReason: "stop" } },
        { type: "wait", id: "4", wait },
        end(undefined, "5"),
      ],
      true,
    );
    await sendRun(client, run, { ids, fail });
    const { id: waitId, ...asked } = wait;
    expect(sent).toEqual([
      chunkOf("Hi.", { id: "2" }),
      ["agent.wait", { ...ids, id: "4", waitId, ...asked }],
      ["agent.done", { ...ids, id: "5", output }],
    ]);
    expect([fail.mock.calls.length, ended.mock.calls.length]).toEqual([0, 1]);
  });

  it("are those that are read already, if they are given", async () => {
    const { client, sent, fail } = startClient();
    const { run } = startRun([chunk("a", "1"), end(undefined, "2")], true);
    const later = startRun([end(undefined, "2")], true).run.events();
    await sendRun(client, run, { ids, events: later, fail });
    expect(sent).toEqual([["agent.done", { ...ids, id: "2", output }]]);
  });

  it("end with the failure of the run, at its position, and nothing behind it", async () => {
    const { client, sent, fail } = startClient();
    const error = new TroupeError("model_failed", "It failed.");
    const { run, ended } = startRun([{ type: "failure", id: "5", error }, chunk("Hi.", "6")], true);
    await sendRun(client, run, { ids, fail });
    expect(fail.mock.calls).toEqual([[error, { ...ids, id: "5" }]]);
    expect([sent, ended.mock.calls.length]).toEqual([[], 1]);
  });

  it("wait for room", async () => {
    const { client, sent, state, fail } = startClient(0);
    const { run } = startRun([chunk("Hi.", "2")], true);
    await sendRun(client, run, { ids, fail });
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
    const { run, left, ended } = startRun([failure], true);
    if (reason !== undefined) left.abort(reason);
    await sendRun(client, run, { ids, fail });
    expect(fail.mock.calls).toEqual(Array.from({ length: count }, () => [failure, ids]));
    expect(ended).toHaveBeenCalledOnce();
  });

  it("end while they wait for room, when the client leaves", async () => {
    const { client, sent, state, fail } = startClient(0);
    const { run, left, ended } = startRun([chunk("Hi.", "2")], true);
    state.wait = async () => {
      left.abort();
      await new Promise(() => {});
    };
    await sendRun(client, run, { ids, fail });
    expect([sent, fail.mock.calls.length, ended.mock.calls.length]).toEqual([[], 0, 1]);
  });
});
