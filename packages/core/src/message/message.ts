import type { MessageContent } from "./content.ts";
import type { ToolCall } from "./tool-call.ts";

/** Who speaks. */
export type MessageRole = "system" | "user" | "assistant" | "tool";

/** One message of a conversation. */
export type ChatMessage = {
  role: MessageRole;
  content: MessageContent | null;
  /** On an assistant's message: what it asked for. */
  toolCalls?: ToolCall[];
  /** On a tool's message: the call it answers. */
  toolCallId?: string;
  name?: string;
};
