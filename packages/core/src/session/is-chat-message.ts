import type { ContentPart, MessageContent } from "../message/content.ts";
import type { ChatMessage, MessageRole } from "../message/message.ts";
import type { ToolCall } from "../message/tool-call.ts";
import { isList, isOptionalText, isRecord } from "../storage/stored-record.ts";

const roles: readonly unknown[] = ["system", "user", "assistant", "tool"] satisfies MessageRole[];

/** Whether the value is a message, whatever else it holds. */
export function isChatMessage(value: unknown): value is ChatMessage {
  return (
    isRecord(value) &&
    roles.includes(value["role"]) &&
    (value["content"] === null || isContent(value["content"])) &&
    (value["toolCalls"] === undefined || isList(value["toolCalls"], isToolCall)) &&
    isOptionalText(value["toolCallId"]) &&
    isOptionalText(value["name"])
  );
}

/** Whether the value can be what a message holds. */
export function isContent(value: unknown): value is MessageContent {
  return typeof value === "string" || isList(value, isContentPart);
}

function isToolCall(value: unknown): value is ToolCall {
  return (
    isRecord(value) &&
    typeof value["id"] === "string" &&
    typeof value["name"] === "string" &&
    isRecord(value["arguments"])
  );
}

function isContentPart(value: unknown): value is ContentPart {
  if (!isRecord(value)) return false;
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string";
    case "image":
    case "audio":
      return typeof value["data"] === "string" && isOptionalText(value["mimeType"]);
    case "file":
      return (
        typeof value["data"] === "string" && typeof value["mimeType"] === "string" && isOptionalText(value["filename"])
      );
    default:
      return false;
  }
}
