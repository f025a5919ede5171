import { describe, expect, it } from "vitest";
import { ResponseStreamGrammar } from "./response-stream.ts";
import type { ResponseStreamEvent } from "./response-stream.ts";
import { ruleBroken } from "./test/rule-broken.ts";

type Event = { readonly type: string; readonly [field: string]: unknown };

const response = (status: string, fields: object = {}) => ({ id: "r", status, output: [], error: null, ...fields });
const created: Event = { type: "response.created", response: response("in_progress") };
const begun: Event = { type: "response.in_progress", response: response("in_progress") };
const completed: Event = { type: "response.completed", response: response("completed") };
const place = { item_id: "m", output_index: 0, content_index: 0 };
const added: Event = { type: "response.output_item.added", output_index: 0, item: { id: "m", type: "message" } };
const part: Event = { type: "response.content_part.added", ...place };
const delta: Event = { type: "response.output_text.delta", ...place, delta: "Hi" };
const text: Event = { type: "response.output_text.done", ...place, text: "Hi" };
const closed: Event = { type: "response.content_part.done", ...place };
const done: Event = { type: "response.output_item.done", output_index: 0, item: { id: "m", type: "message" } };
const message = [added, part, delta, text, closed, done];

/** Numbers the events, and adds the end mark. */
function numbered(events: readonly Event[]): ResponseStreamEvent[] {
  return [...events.map((event, index) => ({ sequence_number: index, ...event })), "[DONE]"];
}

const broken: [rule: string, problem: string, events: Event[]][] = [
  ["no-end", "a response without an end", [created, begun]],
  ["created-first", "an item before the response", [added]],
  ["created-first", "a response that is only created", [created, added]],
  ["created-first", "a response that is created twice", [created, begun, created]],
  ["same-id", "another id", [created, { ...begun, response: response("in_progress", { id: "s" }) }]],
  ["sequence", "a number that is left out", [created, { ...begun, sequence_number: 2 }]],
  ["after-end", "an event behind the end", [created, begun, completed, completed]],
  ["end-status", "an end of another status", [created, begun, { ...completed, response: response("failed") }]],
  [
    "failed-error",
    "a failure without an error",
    [created, begun, { type: "response.failed", response: response("failed") }],
  ],
  ["after-error", "text behind an error", [created, begun, { type: "error", message: "x" }, added]],
  ["error", "an error without a message", [created, begun, { type: "error" }]],
  ["item-added", "text of an item that has not begun", [created, begun, delta]],
  ["item-once", "an item that begins twice", [created, begun, added, added]],
  ["item-type", "an item of an unknown type", [created, begun, { ...added, item: { id: "m", type: "acme:x" } }]],
  ["item-id", "text of another item", [created, begun, added, { ...part, item_id: "n" }]],
  ["item-done", "an item that has not ended", [created, begun, added, part, completed]],
  ["item-done", "text behind the end of its item", [created, begun, ...message, delta]],
  ["output-index", "an event without a place", [created, begun, { type: "response.x" }]],
  [
    "output",
    "an item that did not come",
    [created, begun, { ...completed, response: response("completed", { output: [{ id: "z" }] }) }],
  ],
  ["part-open", "text before its part", [created, begun, added, delta]],
  ["part-once", "a part that begins twice", [created, begun, added, part, part]],
  ["part-done", "an item that ends before its part", [created, begun, added, part, done]],
  ["whole-text", "a text that differs from its deltas", [created, begun, added, part, text]],
  ["known-type", "an event of another item", [created, begun, added, part, { ...delta, type: "response.x" }]],
];

describe("ResponseStreamGrammar", () => {
  it.each(broken)("refuses by the rule %s %s", (rule, _problem, events) => {
    expect(ruleBroken(new ResponseStreamGrammar(), numbered(events))).toBe(rule);
  });

  it.each<[string, Event[]]>([
    ["a message", [created, begun, ...message, completed]],
    [
      "a failure",
      [
        created,
        begun,
        { type: "error", message: "x" },
        { type: "response.failed", response: response("failed", { error: {} }) },
      ],
    ],
  ])("takes %s", (_stream, events) => {
    expect(ruleBroken(new ResponseStreamGrammar(), numbered(events))).toBeUndefined();
  });

  it("takes the end of a stream that its reader continues", () => {
    const rest = numbered([created, begun, ...message, completed]).slice(5);
    expect(ruleBroken(new ResponseStreamGrammar({ isWhole: false }), rest)).toBeUndefined();
  });
});
