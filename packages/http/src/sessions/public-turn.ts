import { normalizeUsage } from "@troupe/core/adapter";
import type { ChatMessage, Source, StoredTurn, TokenUsage, TurnToolResult } from "@troupe/core";

/** A turn of a session (one input and the run's answer to it) as `GET /sessions/:id/turns` sends it to its owner. */
export type PublicTurn = Pick<StoredTurn, "seq" | "runId" | "runnable" | "status" | "createdAt" | "input"> & {
  /** The conversation before a session's first turn, where its run was given one. */
  history?: ChatMessage[];
  /** The messages after the input: tool calls, their results, the answer. */
  messages: ChatMessage[];
  usage: TokenUsage;
  /** The errors and artifacts of tool calls, which the messages do not have. */
  toolResults?: TurnToolResult[];
  /** The sources of the answer. */
  sources?: Source[];
};

/**
 * Makes the turn that is sent to a client from a stored one. Copies declared fields only: a storage may keep more,
 * written by another release.
 */
export function toPublicTurn(turn: StoredTurn): PublicTurn {
  const { seq, runId, runnable, status, createdAt, input, history, messages, usage, toolResults, sources } = turn;
  return {
    seq,
    runId,
    runnable,
    status,
    createdAt,
    input,
    ...(history !== undefined && { history: history.map(toPublicMessage) }),
    messages: messages.map(toPublicMessage),
    usage: normalizeUsage(usage),
    ...(toolResults !== undefined && { toolResults: toolResults.map(toPublicToolResult) }),
    ...(sources !== undefined && { sources: sources.map(toPublicSource) }),
  };
}

/** Copies the declared fields of a source, so that no others are sent to clients. */
export function toPublicSource({ id, url, title, toolCallId }: Source): Source {
  return {
    id,
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(toolCallId !== undefined && { toolCallId }),
  };
}

function toPublicToolResult({ toolCallId, toolName, error, artifacts, leftOut }: TurnToolResult): TurnToolResult {
  return {
    toolCallId,
    toolName,
    ...(error !== undefined && { error }),
    ...(artifacts !== undefined && {
      artifacts: artifacts.map(({ type, data, mimeType }) => ({
        type,
        data,
        ...(mimeType !== undefined && { mimeType }),
      })),
    }),
    ...(leftOut !== undefined && { leftOut }),
  };
}

function toPublicMessage({ role, content, toolCalls, toolCallId, name }: ChatMessage): ChatMessage {
  return {
    role,
    content,
    ...(toolCalls !== undefined && {
      toolCalls: toolCalls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })),
    }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(name !== undefined && { name }),
  };
}
