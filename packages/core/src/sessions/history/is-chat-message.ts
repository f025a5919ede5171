import type { ContentPart, MessageContent } from "../../base/message/content.ts";
import type { ChatMessage, MessageRole } from "../../base/message/message.ts";
import { isStoredPart } from "../../base/message/stored-data.ts";
import type { ToolCall } from "../../base/message/tool-call.ts";
import { isArrayOf, isOptionalString } from "../storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";

const roles: readonly unknown[] = ["system", "user", "assistant", "tool"] satisfies MessageRole[];

/**
 * Returns true if a value from a caller or the storage has the shape of a `ChatMessage`. Unknown fields are allowed.
 */
export function isChatMessage(value: unknown): value is ChatMessage {
  return isMessage(value, isContent);
}

/**
 * Returns true if a value has the shape of a message of a stored turn, whose images and files may be references to data
 * that is stored separately.
 */
export function isStoredMessage(value: unknown): value is ChatMessage {
  return isMessage(value, isStoredContent);
}

function isMessage(value: unknown, hasContent: (content: unknown) => boolean): boolean {
  return (
    isRecord(value) &&
    roles.includes(value["role"]) &&
    (value["content"] === null || hasContent(value["content"])) &&
    (value["toolCalls"] === undefined || isArrayOf(value["toolCalls"], isToolCall)) &&
    isOptionalString(value["toolCallId"]) &&
    isOptionalString(value["name"])
  );
}

/** Returns true if an unknown value has the shape of a message's content: a string or an array of content parts. */
function isContent(value: unknown): value is MessageContent {
  return typeof value === "string" || isArrayOf(value, isContentPart);
}

/**
 * Returns true if a value has the shape of a stored turn's content, whose images and files may be references to data
 * that is stored separately.
 */
export function isStoredContent(value: unknown): value is MessageContent {
  return typeof value === "string" || (Array.isArray(value) && value.every(isInlineOrStored));
}

function isInlineOrStored(value: unknown): boolean {
  return isContentPart(value) || isStoredPart(value);
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
      return typeof value["data"] === "string" && isOptionalString(value["mimeType"]);
    case "file":
      return (
        typeof value["data"] === "string" &&
        typeof value["mimeType"] === "string" &&
        isOptionalString(value["filename"])
      );
    default:
      return false;
  }
}
