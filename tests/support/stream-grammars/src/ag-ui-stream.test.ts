import { expect, it } from "vitest";
import { AgUiGrammar } from "./ag-ui-stream.ts";
import type { AgUiEvent } from "./ag-ui-stream.ts";
import { ruleBroken } from "./test/rule-broken.ts";

const start: AgUiEvent = { type: "RUN_STARTED" };
const finish: AgUiEvent = { type: "RUN_FINISHED" };
const open: AgUiEvent = { type: "TEXT_MESSAGE_START", messageId: "m" };
const delta: AgUiEvent = { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hi" };
const close: AgUiEvent = { type: "TEXT_MESSAGE_END", messageId: "m" };
const call: AgUiEvent = { type: "TOOL_CALL_START", toolCallId: "c" };
const called: AgUiEvent = { type: "TOOL_CALL_END", toolCallId: "c" };
const result: AgUiEvent = { type: "TOOL_CALL_RESULT", toolCallId: "c", content: "Seen." };

const snapshot: AgUiEvent = { type: "MESSAGES_SNAPSHOT", messages: [] };
const changed: AgUiEvent = { type: "STATE_DELTA", delta: [{ op: "add", path: "/a", value: null }] };

it.each<[rule: string | undefined, problem: string, events: AgUiEvent[]]>([
  [undefined, "a whole stream", [start, open, delta, close, call, called, result, finish]],
  [undefined, "the result of a call of an earlier stream", [start, result, finish]],
  [undefined, "a failure", [start, { type: "RUN_ERROR" }]],
  [undefined, "a text that another process wrote anew", [start, open, close, snapshot, open, close, finish]],
  [undefined, "a change of the state", [start, changed, finish]],
  ["state-patch", "a change of the state without keys", [start, { ...changed, delta: [] }, finish]],
  ["snapshot-between", "a snapshot within a text", [start, open, snapshot, close, finish]],
  [
    "opened-once",
    "a kept text that is opened again",
    [start, open, close, { ...snapshot, messages: [{ id: "m" }] }, open],
  ],
  ["one-start", "no start", [open]],
  ["one-start", "a second start", [start, start]],
  ["known-event", "an event that leaks prompts", [start, { type: "RAW", event: {} }]],
  ["no-null", "null for an absent field", [start, { ...open, name: null }]],
  ["open", "a text that was not opened", [start, delta]],
  ["opened-once", "a text that is opened again", [start, open, close, open]],
  ["closed", "an open text at the end", [start, open, finish]],
  ["closed", "an open call at the end", [start, call, finish]],
  ["result-after-end", "a result before the end of its call", [start, call, result]],
  ["result-text", "a result that is no string", [start, call, called, { ...result, content: {} }]],
  ["after-end", "an event after the end", [start, finish, open]],
  ["no-end", "no end", [start]],
])("finds %s in %s", (rule, _, events) => {
  expect(ruleBroken(new AgUiGrammar(), events)).toBe(rule);
});
