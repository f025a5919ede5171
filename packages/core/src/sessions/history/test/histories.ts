import fc from "fast-check";
import type { MessageContent } from "../../../base/message/content.ts";
import type { ChatMessage, MessageRole } from "../../../base/message/message.ts";
import type { ToolCall } from "../../../base/message/tool-call.ts";

/**
 * Histories are made from random bytes: a hundred thousand of them take seconds, and a counterexample shrinks to the few
 * bytes that matter.
 */
const bytes = fc
  .array(fc.integer({ min: 0, max: 0xffff_ffff }), { maxLength: 10, size: "max" })
  .map((words) => new Uint8Array(Uint32Array.from(words).buffer));

/** Valid histories, as the project itself stores them. */
export const soundHistory: fc.Arbitrary<ChatMessage[]> = bytes.map((source) => {
  const messages: ChatMessage[] = [];
  let calls = 0;
  for (const byte of source) {
    const text = "word ".repeat((byte >> 3) + 1);
    const hasUser = messages.some(({ role }) => role === "user");
    if (!hasUser && byte % 8 === 7 && messages.length === 0) messages.push({ role: "system", content: text });
    else if (!hasUser || byte % 8 < 3) messages.push({ role: "user", content: text });
    else if (byte % 8 < 5) messages.push({ role: "assistant", content: text });
    else {
      const ids = Array.from({ length: (byte % 8) - 4 }, () => `call_${calls++}`);
      const toolCalls = ids.map((id) => ({ id, name: "look", arguments: { at: text } }));
      messages.push({ role: "assistant", content: byte % 16 < 8 ? null : text, toolCalls });
      messages.push(...ids.map((id): ChatMessage => ({ role: "tool", toolCallId: id, content: text })));
    }
  }
  return messages;
});

const roles: readonly MessageRole[] = ["user", "assistant", "tool", "assistant", "tool", "system", "user", "tool"];
const contents: readonly (MessageContent | null)[] = [
  "text",
  null,
  "",
  " \n",
  [],
  [{ type: "text", text: "" }],
  [{ type: "image", data: "AAAA" }],
  "more",
];
const ids = ["a", "b", "a", "c", "", "a_2", "a_2_2", "call"];

/** Well-typed messages in random order, with few ids so that they collide. */
export const brokenHistory: fc.Arbitrary<ChatMessage[]> = bytes.map((source) => {
  const messages: ChatMessage[] = [];
  for (let index = 0; index + 2 < source.length; index += 3) {
    const [kind = 0, ask = 0, name = 0] = source.subarray(index, index + 3);
    messages.push(brokenMessage(kind, ask, name));
  }
  return messages;
});

function brokenMessage(kind: number, ask: number, name: number): ChatMessage {
  const role = roles[kind % 8] ?? "user";
  const answers = role === "tool" ? ask % 16 !== 0 : ask % 32 === 0;
  const asks = role === "assistant" ? ask % 4 !== 0 : ask % 32 === 1;
  return {
    role,
    content: contents[(kind >> 3) % 8] ?? null,
    ...(answers && { toolCallId: ids[name % 8] ?? "a" }),
    ...(asks && { toolCalls: someCalls(ask, name) }),
  };
}

function someCalls(ask: number, name: number): ToolCall[] {
  return Array.from({ length: (ask >> 2) % 4 }, (_, index) => ({
    id: ids[(name >> (2 * index)) % 8] ?? "a",
    name: (ask >> 4) % 8 === index ? "" : "look",
    arguments: (ask >> 4) % 5 === index ? ([] as unknown as Record<string, unknown>) : { at: index },
  }));
}
