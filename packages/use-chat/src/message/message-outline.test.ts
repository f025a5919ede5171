import { TroupeError } from "@troupe/core";
import type { RunEvent } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import type { UiChunk } from "./ui-chunk.ts";
import { UiMessage } from "./ui-message.ts";

type Act = (message: UiMessage) => void;

const take =
  (event: object): Act =>
  (message) =>
    message.take({ id: "1.1", ...event } as RunEvent);
const chunk = (fields: object, step = "m/0") => take({ type: "chunk", step, chunk: fields });
const text = (piece: string, step?: string, more: object = {}) => chunk({ type: "text", text: piece, ...more }, step);
const thinking = (piece: string, more: object = {}) => chunk({ type: "thinking", text: piece, ...more });
const start = (id: string, name = "look", step?: string) =>
  chunk({ type: "tool_call_start", toolCall: { id, name } }, step);
const args = (id: string, delta: string) => chunk({ type: "tool_call_delta", toolCallId: id, argumentsDelta: delta });
const result = (id: string, more: object = { result: "é" }) =>
  chunk({ type: "tool_result", toolCallId: id, toolName: "look", durationMs: 1, ...more });
const wait = (id: string, kind: string, more: object = {}) =>
  take({ type: "wait", wait: { id, kind, about: { toolName: "pay", args: { é: 1 } }, askedAt: 1, ...more } });
const done = (step: string) => take({ type: "done", step, value: null, durationMs: 1 });
const calling = (step: string) => take({ type: "call", step, toolName: "pay", args: {}, effect: "once" });
const finish = (finishReason: string) =>
  chunk({ type: "finish", finishReason, usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 } });
const over: Act = (message) =>
  message.finish({ promptTokens: 5, completionTokens: 6, totalTokens: 11, reasoningTokens: 0, cachedTokens: 4 });
const pause: Act = (message) => message.pause();
const fail =
  (code: ConstructorParameters<typeof TroupeError>[0]): Act =>
  (message) =>
    message.fail(new TroupeError(code, "É.", { fields: { retryAfterMs: 5 } }));
const ann = { member: "ann", delegationId: "d1" };
const bob = { member: "bob", delegationId: "d2" };

/** Every kind of event of a run, in every order that decides about parts and steps. */
const scenes: Readonly<Record<string, readonly Act[]>> = {
  nothing: [over],
  "text and reasoning in pieces": [thinking("a"), thinking("b"), text("é"), text("c"), thinking("d"), over],
  "two model calls": [text("a"), done("m/0"), text("b", "m/1"), over],
  "a tool between texts, each call once": [
    text("a"),
    start("t1"),
    start("t1"),
    args("t1", '{"é":'),
    args("t1", "1}"),
    args("unknown", "{}"),
    done("m/0"),
    args("t1", "late"),
    result("t1"),
    text("b", "m/1"),
    over,
  ],
  "arguments that are no JSON, and none": [start("t1"), args("t1", "{"), start("t2"), done("m/0"), over],
  "results of JSON, of text and of nothing": [
    result("t1", { result: '{"a":1}' }),
    result("t2", { result: "{a" }),
    result("t3", { result: null }),
    result("t4", { result: [1] }),
    over,
  ],
  "results that failed, and that were denied": [
    start("t1"),
    result("t1", { result: null, error: "No." }),
    wait("w2", "approval", { toolCallId: "t2" }),
    result("t2", { result: "Denied.", error: "The call of look was denied: no." }),
    over,
  ],
  "artifacts that are files, and data": [
    result("t1", {
      result: "",
      artifacts: [
        { type: "image", data: "aQ==", mimeType: "image/png" },
        { type: "file", data: "HTTPS://e.x/a", mimeType: "text/plain" },
        { type: "chart", data: "aQ==", mimeType: "image/png" },
        { type: "image", data: "aQ==" },
        { type: "image", data: { a: 1 }, mimeType: "image/png" },
      ],
    }),
    over,
  ],
  "sources with and without an address and a title": [
    chunk({ type: "source", id: "s1", url: "https://e.x/é", title: "é" }),
    chunk({ type: "source", id: "s2", url: "https://e.x/b" }),
    chunk({ type: "source", id: "s3", title: "T" }),
    chunk({ type: "source", id: "s4" }),
    over,
  ],
  progress: [chunk({ type: "tool_progress", toolCallId: "t1", toolName: "look", progress: { a: 1 } }), over],
  "members that speak at once, and a speaker": [
    text("Let us ask."),
    start("d1", "delegate_to_ann"),
    start("d2", "delegate_to_bob"),
    text("a1", "t/0/0/run/m/0", ann),
    thinking("b1", bob),
    text("a2", "t/0/0/run/m/0", ann),
    text("b2", "t/0/1/run/m/0", bob),
    result("d1"),
    text("a3", "t/0/0/run/m/0", ann),
    result("d2"),
    text("c", "m/1", { speaker: "ann" }),
    text("d", "m/1"),
    over,
  ],
  "an approval of a call, given": [
    start("t1", "pay"),
    args("t1", "{}"),
    wait("t.0.0", "approval", { toolCallId: "t1" }),
    wait("t.0.0", "approval", { toolCallId: "t1" }),
    pause,
    calling("t/0/0"),
    result("t1"),
    text("b", "m/1"),
    over,
  ],
  "questions about calls of child runs, settled": [
    text("a"),
    wait("t.0.0.run.t.0.0", "approval", { toolCallId: "c1" }),
    wait("t.0.0.run.t.0.1", "approval", { toolCallId: "c2" }),
    wait("t.0.0.run.t.0.2.input", "input", { toolCallId: "c3" }),
    calling("t/0/0/run/t/0/0"),
    done("t/0/0/run/t/0/0"),
    done("t/0/0/run/t/0/1"),
    done("t/0/0/run/t/0/2"),
    done("t/9/9"),
    text("b", "m/1"),
    over,
  ],
  "a call of a child run with the id of another": [
    start("t1", "look"),
    wait("w1", "input", { toolCallId: "t1" }),
    wait("w2", "input", { toolCallId: "t2", about: {} }),
    pause,
  ],
  "questions that a page cannot answer": [wait("w1", "doubt", { toolCallId: "t1" }), wait("w2", "approval"), pause],
  "a step that is made again": [
    text("half", "m/0"),
    start("t1", "look", "m/0"),
    take({ type: "reset", step: "m/1" }),
    take({ type: "reset", step: "t/0/0" }),
    take({ type: "reset", step: "m/0" }),
    text("whole", "m/0"),
    start("t1", "look", "m/0"),
    over,
  ],
  "a failure with text open": [text("a"), start("t1"), fail("rate_limited")],
  "a cancelled run": [text("a"), fail("cancelled")],
};

for (const reason of ["stop", "length", "tool_calls", "content_filter", "error", "tool_roundtrips"]) {
  Object.assign(scenes, {
    [`an end by ${reason}`]: [finish(reason), (message: UiMessage) => message.finish(undefined)],
  });
}

function play(acts: readonly Act[]): UiChunk[] {
  const chunks: UiChunk[] = [];
  const message = new UiMessage("r1", (each) => void chunks.push(each));
  for (const act of acts) act(message);
  return chunks;
}

// What a page reads. If a change is meant, write the outline anew by `vitest --update`.
it("the chunks of a message are these, for every kind of event of a run", async () => {
  const outline = Object.entries(scenes).map(([title, acts]) =>
    [`# ${title}`, ...play(acts).map((each) => JSON.stringify(each))].join("\n"),
  );

  await expect(`${outline.join("\n\n")}\n`).toMatchFileSnapshot("../../test/outlines/chunks.txt");
});

describe("a question in a message", () => {
  it("is open until its call has a result, and the run may wait as long as one is", () => {
    const message = new UiMessage("r1", () => undefined);
    const states: unknown[] = [];
    const acts = [
      wait("w1", "approval", { toolCallId: "t1" }),
      wait("w2", "input", { toolCallId: "t2" }),
      result("t1"),
      result("t2"),
    ];
    for (const act of acts) {
      act(message);
      states.push([message.has("w1"), message.has("w2"), message.mayWait]);
    }

    expect(states).toEqual([
      [true, false, true],
      [true, true, true],
      [false, true, true],
      [false, false, false],
    ]);
  });
});
