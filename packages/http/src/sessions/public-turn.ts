import type { ChatMessage, StoredTurn, TokenUsage, TurnToolResult } from "@troupe/core";

/** A turn of a session (one input and the run's answer to it) as `GET /sessions/:id/turns` sends it to its owner. */
export type PublicTurn = Pick<StoredTurn, "seq" | "runId" | "runnable" | "status" | "createdAt" | "input"> & {
  /** The conversation before a session's first turn, where its run was given one. */
  history?: ChatMessage[];
  /** The messages after the input: tool calls, their results, the answer. */
  messages: ChatMessage[];
  usage: TokenUsage;
  /** The errors and artifacts of tool calls, which the messages do not have. */
  toolResults?: TurnToolResult[];
};

/**
 * Makes the turn that is sent to a client from a stored one. Copies declared fields only: a storage may keep more,
 * written by another release.
 */
export function toPublicTurn(turn: StoredTurn): PublicTurn {
  const { seq, runId, runnable, status, createdAt, input, history, messages, usage, toolResults } = turn;
  const { promptTokens, completionTokens, totalTokens } = usage;
  return {
    seq,
    runId,
    runnable,
    status,
    createdAt,
    input,
    ...(history !== undefined && { history: history.map(toPublicMessage) }),
    messages: messages.map(toPublicMessage),
    usage: { promptTokens, completionTokens, totalTokens },
    ...(toolResults !== undefined && { toolResults: toolResults.map(toPublicToolResult) }),
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
