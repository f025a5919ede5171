import type { ChatMessage } from "../message/message.ts";

/** Groups that begin with a message of this role; what stands before the first one is a group too. */
export function splitBefore(messages: readonly ChatMessage[], role: "user" | "assistant"): ChatMessage[][] {
  const groups: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === role || groups.length === 0) groups.push([message]);
    else groups.at(-1)?.push(message);
  }
  return groups;
}
