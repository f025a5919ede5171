import assert from "node:assert/strict";
import type { ChatMessage } from "../../../base/message/message.ts";

/** Refuses every history that any vendor refuses. Written from the vendors' rules, not from the code under test. */
export function assertVendorWouldAccept(messages: readonly ChatMessage[]): void {
  const conversation = messages.slice(messages.findLastIndex(({ role }) => role === "system") + 1);
  for (const message of messages.slice(0, messages.length - conversation.length)) {
    assert.equal(message.role, "system", "instructions stand before everything else");
    assert.ok(says(message), "an empty text block is refused");
  }
  const first = conversation[0];
  if (first !== undefined) assert.equal(first.role, "user", "the first message must be the user's");
  const ids = conversation.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, "ids of tool calls must be unique");
  let expected: string[] = [];
  for (const message of conversation) {
    if (message.role === "tool") {
      assert.equal(message.toolCallId, expected[0], "a result must be that of the next call asked for right before");
      assert.notEqual(message.content, null, "a result must have content");
      expected = expected.slice(1);
    } else {
      assert.deepEqual(expected, [], "every call needs its result before anyone speaks again");
      if (message.role === "assistant") expected = acceptAnswer(message);
      else assert.ok(says(message), "the user's message must not be empty");
      assert.equal(message.toolCallId, undefined, "only results name a call");
    }
    if (message.role !== "assistant") assert.equal(message.toolCalls, undefined, "only the assistant calls tools");
  }
  assert.deepEqual(expected, [], "every call needs its result");
}

function acceptAnswer(message: ChatMessage): string[] {
  const { toolCalls } = message;
  if (toolCalls === undefined) {
    assert.ok(says(message), "an answer must not be empty");
    return [];
  }
  assert.ok(toolCalls.length > 0, "a list of calls must not be empty");
  for (const { id, name, arguments: args } of toolCalls) {
    assert.ok(id !== "" && name !== "", "a call has an id and a name");
    assert.ok(typeof args === "object" && args !== null && !Array.isArray(args), "arguments must be an object");
  }
  return toolCalls.map(({ id }) => id);
}

function says({ content }: ChatMessage): boolean {
  if (typeof content === "string") return /\S/.test(content);
  return content !== null && content.some((part) => part.type !== "text" || /\S/.test(part.text));
}
