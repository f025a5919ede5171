import { describe, expect, it } from "vitest";
import { RunStreamGrammar } from "./run-stream.ts";
import type { RunStreamEvent } from "./run-stream.ts";
import { ruleBroken } from "./test/rule-broken.ts";

type Data = RunStreamEvent["data"] & Record<string, unknown>;

const text: Data = { type: "text", text: "Hi" };
const start: Data = { type: "tool_call_start", toolCall: { id: "c" } };
const delta: Data = { type: "tool_call_delta", toolCallId: "c" };
const progress: Data = { type: "tool_progress", toolCallId: "c" };
const result: Data = { type: "tool_result", toolCallId: "c" };
const end: Data = { type: "tool_call_end", toolCallId: "c" };
const finish: Data = { type: "finish" };
const failed: Data = { type: "error" };
const call = [start, delta, progress, result, end];
const stepStart: Data = { type: "step_start", step: "s" };
const stepEnd: Data = { type: "step_end", step: "s" };
const ofStep = (chunk: Data): Data => ({ type: "chunk", step: "s", chunk });

/** Numbers events as a plain run does. */
function plain(...data: Data[]): RunStreamEvent[] {
  return data.map((each, index) => ({ id: String(index + 1), data: each }));
}

/** Numbers events as a stored run does, from a record on. */
function kept(first: number, ...data: Data[]): RunStreamEvent[] {
  return data.map((each, index) => ({ id: `${first + index}.0`, data: each }));
}

const broken: [rule: string, problem: string, events: RunStreamEvent[]][] = [
  ["no-end", "no finish", plain(text)],
  ["after-end", "two finishes", plain(text, finish, finish)],
  ["after-end", "text behind an error", plain(failed, text)],
  ["id-order", "a plain run that does not begin with 1", [{ id: "2", data: finish }]],
  [
    "id-order",
    "a number that is left out",
    [
      { id: "1", data: text },
      { id: "3", data: finish },
    ],
  ],
  ["id-order", "a record that goes back", [...kept(7, text), ...kept(6, finish)]],
  ["id-order", "an id that comes twice", [...kept(7, text), ...kept(7, finish)]],
  [
    "id-order",
    "a place that goes back",
    [
      { id: "7.2", data: text },
      { id: "7.1", data: finish },
    ],
  ],
  ["has-id", "an event of a stored run without an id", [...kept(7, text), { data: finish }]],
  ["has-id", "an error of a plain run without an id", [...plain(text), { data: failed }]],
  ["known-type", "a chunk of no known type", plain({ type: "new" }, finish)],
  ["call-before", "a result before its call", plain(result, start, end, finish)],
  ["call-over", "an end that comes twice", plain(...call, end, finish)],
  ["one-result", "a result that comes twice", plain(start, result, result, end, finish)],
  ["one-result", "progress behind the result", plain(start, result, progress, end, finish)],
  ["end-before-result", "an end without a result", plain(start, end, finish)],
  ["one-start", "a start that comes twice", plain(start, start, result, end, finish)],
  ["open-calls", "a call without an end", plain(start, result, finish)],
  [
    "attempt-order",
    "an attempt that comes twice",
    kept(1, { type: "attempt", attempt: 2 }, { type: "attempt", attempt: 2 }),
  ],
  ["step-open", "a chunk behind the end of its step", plain(stepStart, stepEnd, ofStep(text), finish)],
  ["step-once", "a step that begins while it is open", plain(stepStart, stepStart, stepEnd, finish)],
  ["open-steps", "a step without an end", plain(stepStart, finish)],
  ["call-before", "a result before its call in a step", plain(stepStart, ofStep(result), stepEnd, finish)],
];

const right: [stream: string, events: RunStreamEvent[]][] = [
  ["of a plain run", plain(text, ...call, text, finish)],
  ["of a run that fails with an open call", plain(start, failed)],
  ["of a stored run whose failure is none of its events", [...kept(4, text), { data: failed }]],
  ["of a client that has all events", []],
  ["of a workflow", plain(stepStart, ...call.map(ofStep), stepEnd, { type: "finish", result: {} })],
  [
    "of a step that is repeated",
    plain(
      stepStart,
      ofStep(start),
      { type: "step_retry", step: "s" },
      ofStep(start),
      ofStep(result),
      ofStep(end),
      stepEnd,
      finish,
    ),
  ],
  [
    "of a call whose step is made anew",
    kept(
      1,
      { ...start, journalStep: "m/1" },
      { type: "reset", journalStep: "m/1" },
      { ...start, journalStep: "m/1" },
      result,
      end,
      finish,
    ),
  ],
];

describe("RunStreamGrammar", () => {
  it.each(broken)("refuses by the rule %s %s", (rule, _problem, events) => {
    expect(ruleBroken(new RunStreamGrammar(), events)).toBe(rule);
  });

  it.each(right)("takes the stream %s", (_stream, events) => {
    expect(ruleBroken(new RunStreamGrammar(), events)).toBeUndefined();
  });

  it("takes what a client has read that left early", () => {
    expect(ruleBroken(new RunStreamGrammar(), plain(text, start), false)).toBeUndefined();
  });

  it("takes a tail that goes on with a call, and refuses one that begins with what the client has", () => {
    const tail = (behind: string) => ruleBroken(new RunStreamGrammar({ behind }), kept(6, result, end, finish));

    expect(tail("5.3")).toBeUndefined();
    expect(tail("6.0")).toBe("id-order");
  });

  it("names the rule, the event and its place", () => {
    const grammar = new RunStreamGrammar();
    grammar.read({ id: "1", data: text });

    expect(() => grammar.read({ id: "1", data: finish })).toThrow(
      'The stream of a run breaks the rule id-order: its id does not follow 1, at event 2: {"id":"1","data":{"type":"finish"}}',
    );
  });
});
