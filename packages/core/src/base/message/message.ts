import type { MessageContent } from "./content.ts";
import type { ToolCall } from "./tool-call.ts";

/** Author of a message; `tool` marks the result of a tool call. */
export type MessageRole = "system" | "user" | "assistant" | "tool";

/** One message of a conversation. */
export type ChatMessage = {
  role: MessageRole;
  content: MessageContent | null;
  /** Tool calls that an assistant message requests. */
  toolCalls?: ToolCall[];
  /** Id of the tool call that a tool message answers. */
  toolCallId?: string;
  name?: string;
};
