import type { ChatMessage, MessageContent, StoredTurn, TurnToolResult } from "@troupe/core";
import { toPublicSource } from "@troupe/core/transport";
import { toShownJson } from "../inspector/shown-json.ts";
import type { SharedContent, SharedMessage, SharedPart, SharedTurn } from "./shared-chat.ts";

/** The parts of a turn that its owner shares, and the kind of the runnable that answered. */
type SharedWith = { readonly hasTools: boolean; readonly kind: SharedTurn["kind"] };

/**
 * Returns a stored turn as a link shows it: copies only known fields, without the data of files, and without ids of
 * runs. Without `hasTools`, tools are only named, and their artifacts shown. With it, secrets in arguments and results
 * are hidden, and long values are cut.
 */
export function toSharedTurn(stored: StoredTurn, { hasTools, kind }: SharedWith): SharedTurn {
  const { seq, runnable, status, createdAt, input, messages, toolResults, sources } = stored;
  const failed = new Map((toolResults ?? []).map(({ toolCallId, error }) => [toolCallId, error]));
  return {
    seq,
    runnable,
    kind,
    status,
    createdAt,
    input: toContent(input),
    messages: messages.map((message) => toMessage(message, { hasTools, failed })),
    ...(toolResults !== undefined && { toolResults: toolResults.map((result) => toResult(result, hasTools)) }),
    ...(sources !== undefined && { sources: sources.map(toPublicSource) }),
  };
}

type Shown = { readonly hasTools: boolean; readonly failed: ReadonlyMap<string, string | undefined> };

function toMessage({ role, content, toolCalls, toolCallId }: ChatMessage, { hasTools, failed }: Shown): SharedMessage {
  return {
    role,
    content: role === "tool" ? toResultContent(failed.get(toolCallId ?? "") ?? content, hasTools) : toContent(content),
    ...(toolCalls !== undefined && {
      toolCalls: toolCalls.map(({ id, name, arguments: args }) => ({
        id,
        name,
        arguments: hasTools ? toShownJson(args) : {},
      })),
    }),
    ...(toolCallId !== undefined && { toolCallId }),
  };
}

/** Returns the result of a tool. A failed tool has the error for clients, instead of the error for the model. */
function toResultContent(content: MessageContent | null, hasTools: boolean): SharedContent {
  if (!hasTools || content === null) return null;
  return toShownJson(toContent(content)) as SharedContent;
}

function toContent(content: MessageContent | null): SharedContent {
  if (typeof content === "string" || content === null) return content;
  return content.map((part): SharedPart => {
    if (part.type === "text") return { type: "text", text: part.text };
    const { type, mimeType } = part;
    const filename = part.type === "file" ? part.filename : undefined;
    return { type, ...(mimeType !== undefined && { mimeType }), ...(filename !== undefined && { filename }) };
  });
}

function toResult({ toolCallId, error, artifacts }: TurnToolResult, hasTools: boolean) {
  return {
    toolCallId,
    ...(error !== undefined && { error: hasTools ? error : "" }),
    ...(artifacts !== undefined && {
      artifacts: artifacts.map(({ type, data, mimeType }) => ({
        type,
        data,
        ...(mimeType !== undefined && { mimeType }),
      })),
    }),
  };
}
