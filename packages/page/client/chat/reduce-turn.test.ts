import { describe, expect, it } from "vitest";
import type { RunEvent } from "@troupe-internal/client";
import { reduceTurn, restartTurn, withoutWait } from "./reduce-turn.ts";
import { newTurn, textOf } from "./turn.ts";
import type { Turn } from "./turn.ts";

const asked = newTurn({
  key: "t",
  kind: "agent",
  name: "helper",
  question: { text: "Oslo?", files: [] },
  startedAt: 1000,
});
const usage = { promptTokens: 12, completionTokens: 4, totalTokens: 16 };

/** The turn after these events, which came 100 ms apart. */
function after(events: readonly RunEvent[], turn: Turn = asked): Turn {
  return events.reduce((reached, event, index) => reduceTurn(reached, event, 1100 + 100 * index), turn);
}

const call: RunEvent[] = [
  { type: "tool_call_start", toolCall: { id: "c1", name: "weather" } },
  { type: "tool_call_delta", toolCallId: "c1", argumentsDelta: '{"city":' },
  { type: "tool_call_delta", toolCallId: "c1", argumentsDelta: '"Oslo"}' },
];
const wait: RunEvent = {
  type: "wait",
  waitId: "t.0.0",
  kind: "approval",
  about: { toolName: "weather" },
  toolCallId: "c1",
};
const speaking: RunEvent[] = [
  { type: "tool_call_start", toolCall: { id: "d1", name: "delegate_to_ann" } },
  { type: "text", text: "Let me ", member: "ann", delegationId: "d1" },
  { type: "text", text: "see.", member: "ann", delegationId: "d1" },
  { type: "thinking", text: "Hm.", member: "ann", delegationId: "d1" },
];
const result: RunEvent = {
  type: "tool_result",
  toolCallId: "c1",
  toolName: "weather",
  result: "Rain.",
  durationMs: 41,
  artifacts: [{ type: "chart", data: [1, 2] }],
};

describe("a turn", () => {
  it("joins the pieces of texts and of thoughts, and knows when the first came", () => {
    const turn = after([
      { type: "thinking", text: "It " },
      { type: "thinking", text: "rains." },
      { type: "text", text: "Take an " },
      { type: "text", text: "umbrella." },
      { type: "finish", usage },
    ]);

    expect(turn).toMatchObject({ status: "completed", usage, firstTokenMs: 100, durationMs: 500 });
    expect(turn.parts).toEqual([
      { type: "thinking", text: "It rains." },
      { type: "text", text: "Take an umbrella." },
    ]);
    expect(textOf(turn.parts)).toBe("Take an umbrella.");
  });

  it("has a tool call with its arguments, its progress, its result and its artifacts, and text behind it apart", () => {
    const progress: RunEvent = { type: "tool_progress", toolCallId: "c1", progress: { percent: 40 } };
    const asks = after([{ type: "text", text: "Let me look." }, ...call, progress]);
    const turn = after(
      [result, { type: "tool_call_end", toolCallId: "c1" }, { type: "text", text: "It rains." }],
      asks,
    );

    expect(asks.parts[1]).toEqual({
      type: "tool",
      id: "c1",
      name: "weather",
      args: '{"city":"Oslo"}',
      progress: { percent: 40 },
    });
    expect(turn.parts.map(({ type }) => type)).toEqual(["text", "tool", "text"]);
    expect(turn.parts[1]).toEqual({
      type: "tool",
      id: "c1",
      name: "weather",
      args: '{"city":"Oslo"}',
      outcome: { result: "Rain.", durationMs: 41, artifacts: [{ type: "chart", data: [1, 2] }] },
    });
  });

  it("waits while a question is open, and goes on with its answer or with the result", () => {
    const waiting = after([...call, wait]);

    expect(waiting.status).toBe("waiting");
    expect(waiting.parts[0]).toMatchObject({ wait: { waitId: "t.0.0", kind: "approval" } });
    for (const gone of [after([result], waiting), withoutWait(waiting, "t.0.0")]) {
      expect(gone.status).toBe("running");
      expect(gone.parts[0]).not.toHaveProperty("wait");
    }
  });

  it("waits for a question that belongs to no call, once, until the run is over", () => {
    const doubt: RunEvent = { type: "wait", waitId: "w", kind: "upgrade", about: {} };
    const waiting = after([doubt, doubt]);

    expect([waiting.status, waiting.parts.length]).toEqual(["waiting", 1]);
    expect(withoutWait(waiting, "w")).toMatchObject({ status: "running", parts: [] });
    expect(after([{ type: "error", error: { code: "cancelled", message: "" } }], waiting)).toMatchObject({
      status: "cancelled",
      parts: [],
    });
  });

  it("has the steps of a workflow with what their agents say, side by side, and the state at the end", () => {
    const turn = after([
      { type: "step_start", step: "weather" },
      { type: "step_start", step: "time" },
      { type: "chunk", step: "weather", chunk: { type: "text", text: "Ra" } },
      { type: "chunk", step: "time", chunk: { type: "text", text: "No" } },
      { type: "step_retry", step: "time" },
      { type: "chunk", step: "time", chunk: { type: "text", text: "Noon." } },
      { type: "chunk", step: "weather", chunk: { type: "text", text: "in." } },
      { type: "chunk", step: "weather", chunk: { type: "finish", usage } },
      { type: "step_end", step: "weather", status: "completed", durationMs: 7 },
      { type: "finish", result: { state: { city: "Oslo" }, usage } },
    ]);

    expect(turn.parts).toEqual([
      { type: "step", name: "weather", parts: [{ type: "text", text: "Rain." }], status: "completed", durationMs: 7 },
      { type: "step", name: "time", parts: [{ type: "text", text: "Noon." }] },
      { type: "state", state: { city: "Oslo" } },
    ]);
    expect(turn).toMatchObject({ status: "completed", usage, firstTokenMs: 300 });
  });

  it("has each source once", () => {
    const source: RunEvent = { type: "source", id: "s1", url: "https://example.com" };

    expect(after([source, source, { type: "chunk", step: "x", chunk: source }]).sources).toHaveLength(1);
  });

  it("has the failure of its run, and what came before", () => {
    const failure = { code: "timeout", message: "The run took too long." };
    const turn = after([
      { type: "text", text: "Take" },
      { type: "error", error: failure },
    ]);

    expect(turn).toMatchObject({ status: "failed", failure, parts: [{ type: "text", text: "Take" }] });
  });

  it("begins anew when another process goes on with its run", () => {
    const turn = { ...after([{ type: "text", text: "Take" }]), runId: "r1" };

    expect(restartTurn(turn)).toMatchObject({ key: "t", runId: "r1", parts: [], status: "running", startedAt: 1000 });
  });

  it("is left as it is by events that the page does not know, and by pieces of unknown calls", () => {
    const strange = { type: "weather_report", text: "?" } as unknown as RunEvent;

    expect(after([strange, { type: "tool_call_delta", toolCallId: "c9", argumentsDelta: "{" }])).toBe(asked);
  });

  it("keeps what a member says with the call that delegated to it, until the call has a result", () => {
    const turn = after(speaking);
    expect(turn.parts).toEqual([{ type: "tool", id: "d1", name: "delegate_to_ann", args: "", said: "Let me see." }]);
    expect(textOf(turn.parts)).toBe("");

    const done: RunEvent = { type: "tool_result", toolCallId: "d1", toolName: "delegate_to_ann", result: "Rain." };
    expect(after([...speaking, done]).parts).toEqual([
      { type: "tool", id: "d1", name: "delegate_to_ann", args: "", outcome: { result: "Rain." } },
    ]);
  });

  it("begins a new text when another member speaks", () => {
    const { parts } = after([
      { type: "text", text: "Ra", speaker: "ann" },
      { type: "text", text: "in.", speaker: "ann" },
      { type: "text", text: " Sun.", speaker: "bob" },
    ]);
    expect(parts).toEqual([
      { type: "text", text: "Rain.", speaker: "ann" },
      { type: "text", text: " Sun.", speaker: "bob" },
    ]);
  });
});

describe("the end of a workflow step", () => {
  const asks = (waitId: string): RunEvent => ({ type: "wait", waitId, kind: "sleep", about: { step: "x" } });
  const end = (step: string): RunEvent => ({ type: "step_end", step, status: "completed", durationMs: 1 });
  const waitsOf = ({ parts }: Turn) => parts.flatMap((part) => (part.type === "wait" ? [part.wait.waitId] : []));

  it.each([
    ["nap", "w.nap.sleep"],
    ["kürzer.", "w.k%C3%BCrzer%2E.sleep"],
    ["cities/1/nap", "w.cities.1.w.nap.sleep"],
    ["100%", "w.100%.sleep"],
  ])("%s takes away what it waited for, and nothing else", (step, waitId) => {
    const waiting = after([asks(waitId), asks("w.cities.0.w.nap.sleep"), asks("t.0.0")]);

    expect(waiting.status).toBe("waiting");
    expect(waitsOf(after([end(step)], waiting))).toEqual(["w.cities.0.w.nap.sleep", "t.0.0"]);
    expect(waitsOf(after([end("else")], waiting))).toHaveLength(3);
  });
});
