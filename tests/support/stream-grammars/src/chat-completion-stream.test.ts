import { describe, expect, it } from "vitest";
import { ChatCompletionGrammar } from "./chat-completion-stream.ts";
import type { ChatCompletionEvent } from "./chat-completion-stream.ts";
import { ruleBroken } from "./test/rule-broken.ts";

const base = { id: "c", object: "chat.completion.chunk", created: 1 };
const delta = (fields: object, reason: string | null = null): ChatCompletionEvent => {
  return { ...base, choices: [{ index: 0, delta: fields, finish_reason: reason }] };
};
const role = delta({ role: "assistant" });
const stop = delta({}, "stop");
const usage: ChatCompletionEvent = { ...base, choices: [], usage: {} };
const status: ChatCompletionEvent = { ...base, choices: [], event: {} };
const call = { index: 0, id: "x", type: "function" };

const broken: [rule: string, problem: string, events: ChatCompletionEvent[]][] = [
  ["no-end", "no end mark", [role, stop]],
  ["no-end", "no finish_reason", [role, "[DONE]"]],
  ["after-end", "a delta behind the end", [role, stop, delta({ content: "x" })]],
  ["after-end", "an event behind the end mark", [role, stop, "[DONE]", "[DONE]"]],
  ["role-first", "text before the role", [delta({ content: "x" })]],
  ["same-id", "another id", [role, { ...base, id: "d", choices: [] }]],
  ["object", "no chunk", [{ ...base, object: "x", choices: [] }]],
  ["created", "no time", [{ ...base, created: "x", choices: [] }]],
  ["one-choice", "two choices", [{ ...base, choices: [{}, {}] }]],
  ["choice", "a choice without an index", [{ ...base, choices: [{ delta: {} }] }]],
  ["finish-reason", "an unknown reason", [role, delta({}, "done")]],
  ["calls-reason", "calls that end with another reason", [role, delta({ tool_calls: [call] }), stop]],
  ["call", "a call without an index", [role, delta({ tool_calls: [{ id: "x", type: "function" }] })]],
  ["empty", "a chunk without anything", [role, { ...base, choices: [] }]],
  ["usage-last", "usage before the end", [role, usage]],
  ["usage-last", "usage twice", [role, stop, usage, usage]],
  ["error", "an error without a type", [role, { error: { message: "x" } }]],
];

describe("ChatCompletionGrammar", () => {
  it.each(broken)("refuses by the rule %s %s", (rule, _problem, events) => {
    expect(ruleBroken(new ChatCompletionGrammar(), events)).toBe(rule);
  });

  it.each<[string, ChatCompletionEvent[]]>([
    ["text with a status line and usage", [role, status, delta({ content: "x" }), stop, usage, "[DONE]"]],
    ["calls for the client", [role, delta({ tool_calls: [call] }), delta({}, "tool_calls"), "[DONE]"]],
    ["an error", [role, { error: { message: "x", type: "server_error" } }, "[DONE]"]],
  ])("takes %s", (_stream, events) => {
    expect(ruleBroken(new ChatCompletionGrammar(), events)).toBeUndefined();
  });
});
