import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { countNameless, isNamedCall, ResponsesToolCalls, toCallId } from "./streamed-calls.ts";

const item = { type: "function_call", id: "i", call_id: "c", name: "look", arguments: "" };
const begun = { type: "tool_call_start", toolCall: { id: "c", name: "look" } };
const told = (argumentsDelta: string) => ({ type: "tool_call_delta", toolCallId: "c", argumentsDelta });
const ended = { type: "tool_call_end", toolCallId: "c" };

/** Applies changes to the calls of an answer, and returns the resulting chunks. */
function chunksOf(act: (calls: ResponsesToolCalls, chunks: ModelChunk[]) => void): ModelChunk[] {
  const chunks: ModelChunk[] = [];
  act(new ResponsesToolCalls(), chunks);
  return chunks;
}

describe("a streamed call of Responses", () => {
  it.each<[string, (calls: ResponsesToolCalls, chunks: ModelChunk[]) => void, object[]]>([
    [
      "is told in pieces",
      (calls, chunks) => {
        calls.start(0, item, chunks);
        calls.extend(0, '{"a":', chunks);
        calls.extend(0, "", chunks);
        calls.extend(0, "1}", chunks);
        calls.end(0, { ...item, arguments: '{"a":1}' }, chunks);
      },
      [begun, told('{"a":'), told("1}"), ended],
    ],
    [
      "gets from its end what no piece had",
      (calls, chunks) => {
        calls.start(0, { ...item, arguments: '{"a"' }, chunks);
        calls.end(0, { ...item, call_id: "other", arguments: '{"a":1}' }, chunks);
      },
      [begun, told('{"a"'), told(":1}"), ended],
    ],
    [
      "may come with its end alone",
      (calls, chunks) => calls.end(0, { ...item, arguments: "{}" }, chunks),
      [begun, told("{}"), ended],
    ],
    [
      "may have an object for arguments",
      (calls, chunks) => calls.end(0, { ...item, arguments: { a: 1 } }, chunks),
      [begun, told('{"a":1}'), ended],
    ],
    [
      "begins once and ends once",
      (calls, chunks) => {
        calls.start(0, item, chunks);
        calls.start(0, { ...item, arguments: "{}" }, chunks);
        calls.endAll(chunks);
        calls.endAll(chunks);
        calls.extend(0, "late", chunks);
        calls.end(0, { ...item, arguments: "{}" }, chunks);
      },
      [begun, ended],
    ],
    ["is unknown before its start", (calls, chunks) => calls.extend(0, "{}", chunks), []],
  ])("%s", (_, act, expected) => {
    expect(chunksOf(act)).toEqual(expected);
  });

  it("stands beside others, and is counted", () => {
    const calls = new ResponsesToolCalls();
    const chunks: ModelChunk[] = [];
    calls.start(0, item, chunks);
    calls.start("0", { ...item, call_id: "d" }, chunks);
    calls.extend("0", "{}", chunks);
    calls.end(0, item, chunks);
    calls.endAll(chunks);

    expect(calls.count).toBe(2);
    expect(chunks.slice(2)).toEqual([
      { type: "tool_call_delta", toolCallId: "d", argumentsDelta: "{}" },
      ended,
      { type: "tool_call_end", toolCallId: "d" },
    ]);
  });
});

it.each([undefined, null, "", 7])("the reader of streamed calls gives a call a new id in place of %j", (given) => {
  const [first, second] = [toCallId(given), toCallId(given)];

  expect(first).toMatch(/^call_./);
  expect(second).not.toBe(first);
  expect(toCallId("c")).toBe("c");
});

it.each<[object, boolean, number]>([
  [item, true, 0],
  [{ ...item, name: "" }, false, 1],
  [{ ...item, name: 7 }, false, 1],
  [{ type: "function_call" }, false, 1],
  [{ ...item, type: "message" }, false, 0],
  [{}, false, 0],
])("tells if %j can be executed: %j", (given, isNamed, nameless) => {
  expect(isNamedCall(given)).toBe(isNamed);
  expect(countNameless([given, item])).toBe(nameless);
});
