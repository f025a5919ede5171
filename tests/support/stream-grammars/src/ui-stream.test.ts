import { describe, expect, it } from "vitest";
import { ruleBroken } from "./test/rule-broken.ts";
import { UiStreamGrammar } from "./ui-stream.ts";
import type { UiEvent } from "./ui-stream.ts";

const start: UiEvent = { type: "start", messageId: "m" };
const step: UiEvent = { type: "start-step" };
const left: UiEvent = { type: "finish-step" };
const finish: UiEvent = { type: "finish", finishReason: "stop" };
const waits: UiEvent = { type: "finish", finishReason: "tool-calls" };
const done = "[DONE]";
const [open, delta, closed] = ["start", "delta", "end"].map((what): UiEvent => ({ type: `text-${what}`, id: "t" })) as [
  UiEvent,
  UiEvent,
  UiEvent,
];
const text = [open, delta, closed];
const ofMember: UiEvent = { type: "text-start", id: "m", providerMetadata: { troupe: { member: "ann" } } };
const otherMember: UiEvent = { ...ofMember, id: "n" };
const endOf = (id: string): UiEvent => ({ type: "text-end", id });
const ofSpeaker: UiEvent = { type: "text-start", id: "s", providerMetadata: { troupe: { speaker: "ann" } } };
const inputStart: UiEvent = { type: "tool-input-start", toolCallId: "c" };
const inputDelta: UiEvent = { type: "tool-input-delta", toolCallId: "c" };
const input: UiEvent = { type: "tool-input-available", toolCallId: "c" };
const output: UiEvent = { type: "tool-output-available", toolCallId: "c", output: null };
const question: UiEvent = { type: "tool-approval-request", toolCallId: "c", approvalId: "a" };
const call = [inputStart, inputDelta, input, output];

/** A message of one step with these chunks. */
function message(...chunks: UiEvent[]): UiEvent[] {
  return [start, step, ...chunks, left, finish, done];
}

const broken: [rule: string, problem: string, events: UiEvent[]][] = [
  ["no-end", "no [DONE]", [start, step, ...text, left, finish]],
  ["no-end", "no finish", [start, step, ...text, left, done]],
  ["after-end", "a chunk behind [DONE]", [...message(...text), delta]],
  ["after-end", "two finishes", [start, step, left, finish, finish, done]],
  ["after-end", "a chunk behind an error", [start, { type: "error" }, step, done]],
  ["known-type", "a chunk of an unknown type", message({ type: "tool-result" })],
  ["no-null", "null for an optional field", [{ type: "start", messageId: null }]],
  ["start-first", "a step before the start", [step, start, left, finish, done]],
  ["start-once", "two starts", [start, start, finish, done]],
  ["message-id", "a start without the id of the message", [{ type: "start" }, finish, done]],
  ["in-step", "text without a step", [start, ...text, finish, done]],
  ["in-step", "a finish-step without a step", [start, left, finish, done]],
  ["finish-step", "a step within a step", message(step)],
  ["finish-step", "a finish within a step", [start, step, ...text, finish, done]],
  ["text-start", "a delta without its start", message(delta)],
  ["text-start", "a delta behind the end", message(...text, delta)],
  ["text-end", "a step that ends with an open text", message(open, delta)],
  ["text-end", "a call while a text is open", message(open, delta, ...call)],
  ["text-end", "an error while a text is open", [start, step, open, { type: "error" }, done]],
  ["reasoning-end", "text while reasoning is open", message({ type: "reasoning-start", id: "r" }, ...text)],
  ["text-end", "a call while a text is open beside that of a member", message(ofMember, open, ...call)],
  ["text-end", "a step that ends with an open text of a member", message(ofMember)],
  ["text-end", "a text while one that names its speaker is open", message(ofSpeaker, ...text)],
  ["one-start", "a text that starts twice", message(open, open, delta, closed)],
  ["one-start", "a call that starts twice", message(inputStart, inputStart, input, output)],
  ["input-start", "a delta of an input that is not open", message(inputDelta, input, output)],
  ["one-input", "an input that is available twice", message(inputStart, input, input, output)],
  ["input-before", "an output before its call", message(output, ...call)],
  ["input-available", "an output before the input is whole", message(inputStart, output, input)],
  ["input-available", "a step that ends within an input", message(inputStart)],
  ["one-output", "an output that comes twice", message(...call, output)],
  [
    "approval-id",
    "a question without an id",
    message(inputStart, input, { type: "tool-approval-request", toolCallId: "c" }),
  ],
  ["step-per-call", "text in the step of an output", message(...call, ...text)],
  ["finish-reason", "a reason of no version", [start, { type: "finish", finishReason: "tool_calls" }, done]],
  ["open-calls", "a call without an output", message(inputStart, input)],
];

const right: [stream: string, events: UiEvent[]][] = [
  ["with texts and calls", [start, step, ...text, ...call, left, step, ...text, left, finish, done]],
  [
    "in which members speak at once",
    message(ofMember, otherMember, inputStart, input, endOf("m"), ...text, output, endOf("n")),
  ],
  ["in which a member speaks behind the output of another", message(...call, ofMember, endOf("m"))],
  ["that waits for an answer", [start, step, inputStart, input, question, left, waits, done]],
  ["that goes on with the output of a call before it", [start, output, step, ...text, left, finish, done]],
  ["that fails within a step", [start, step, ...text, { type: "error", errorText: "No." }, done]],
  ["that is aborted", [start, step, { type: "abort" }, done]],
];

describe("UiStreamGrammar", () => {
  it.each(broken)("refuses by the rule %s %s", (rule, _problem, events) => {
    expect(ruleBroken(new UiStreamGrammar(7), events)).toBe(rule);
    expect(ruleBroken(new UiStreamGrammar(6), events)).toBe(rule);
  });

  it.each(right)("takes a message %s", (_stream, events) => {
    expect(ruleBroken(new UiStreamGrammar(7), events)).toBeUndefined();
    expect(ruleBroken(new UiStreamGrammar(6), events)).toBeUndefined();
  });

  it("takes a step that is made anew, which version 6 does not know", () => {
    const events = message(...text, inputStart, { type: "reset-step" }, ...text, ...call);

    expect(ruleBroken(new UiStreamGrammar(7), events)).toBeUndefined();
    expect(ruleBroken(new UiStreamGrammar(6), events)).toBe("known-type");
  });

  it("takes what a client has read that left early", () => {
    expect(ruleBroken(new UiStreamGrammar(7), [start, step, open], false)).toBeUndefined();
  });
});
