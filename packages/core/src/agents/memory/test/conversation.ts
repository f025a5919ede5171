import type { ChatMessage } from "../../../base/message/message.ts";

/** A turn of two messages, told from all others by its name. */
export function exchange(name: string): ChatMessage[] {
  return [
    { role: "user", content: `Ask ${name}.` },
    { role: "assistant", content: `Answer ${name}.` },
  ];
}

/** A step in which so many tools were called. */
export function step(name: string, calls = 1): ChatMessage[] {
  const toolCalls = Array.from({ length: calls }, (_, index) => ({
    id: `${name}-${index}`,
    name: "look",
    arguments: { at: name },
  }));
  return [
    { role: "assistant", content: null, toolCalls },
    ...toolCalls.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: `Seen ${name}.` })),
  ];
}
