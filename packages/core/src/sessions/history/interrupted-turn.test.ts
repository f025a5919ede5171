import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ToolCall } from "../../base/message/tool-call.ts";
import { interruptedTurn } from "./interrupted-turn.ts";

const call = (id: string): ToolCall => ({ id, name: "book", arguments: { seat: id } });
const done = (id: string) => ({ toolCallId: id, toolName: "book", args: {}, result: `booked ${id}`, durationMs: 1 });
const earlier: ChatMessage[] = [
  { role: "assistant", content: null, toolCalls: [call("a")] },
  { role: "tool", toolCallId: "a", content: "booked a" },
];

describe("interruptedTurn", () => {
  it("returns every call with its result, which is interrupted for an unfinished call", () => {
    const step = { text: "Booking.", toolCalls: [call("b"), call("c")], results: [done("c")] };

    expect(interruptedTurn(earlier, step)).toEqual([
      ...earlier,
      { role: "assistant", content: "Booking.", toolCalls: [call("b"), call("c")] },
      { role: "tool", toolCallId: "b", content: "interrupted" },
      { role: "tool", toolCallId: "c", content: "booked c" },
    ]);
  });

  it("returns the messages as they are when the run ended between two steps", () => {
    expect(interruptedTurn(earlier)).toEqual(earlier);
  });

  it("adds results to calls that have none", () => {
    expect(interruptedTurn(earlier.slice(0, 1))).toEqual([
      ...earlier.slice(0, 1),
      { role: "tool", toolCallId: "a", content: "interrupted" },
    ]);
  });

  it("returns null when no tool was called", () => {
    expect(interruptedTurn([])).toBeNull();
    expect(interruptedTurn([{ role: "assistant", content: "Let me see." }])).toBeNull();
  });
});
