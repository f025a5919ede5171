import { countDataBytes, normalizeUsage, toPublicSource } from "@troupe/core/transport";
import type { DataPart } from "@troupe/core/transport";
import type {
  ChatMessage,
  ContentPart,
  MessageContent,
  Source,
  StoredTurn,
  TokenUsage,
  TurnToolResult,
} from "@troupe/core";

/**
 * An image, a sound or a file of a turn without its data. `GET /sessions/:id/turns/:seq/parts/:index` sends the data.
 */
export type PartReference = {
  type: DataPart["type"];
  mimeType?: string;
  filename?: string;
  /** The index of the part among the images, audio and files of its turn, and the part's size in bytes. */
  stored: { index: number; bytes: number };
};

/** The content of a message in a turn: a string, or parts, of which some may be references. */
type PublicContent = string | (ContentPart | PartReference)[];

/** A message of a turn. Its parts may be references. */
export type PublicMessage = Omit<ChatMessage, "content"> & { content: PublicContent | null };

/**
 * A turn of a session (one input and the answer of its run) as `GET /sessions/:id/turns` sends it to the session's
 * owner.
 */
export type PublicTurn = Pick<StoredTurn, "seq" | "runId" | "runnable" | "status" | "createdAt"> & {
  input: PublicContent;
  /** The conversation before a session's first turn, if its run received one. */
  history?: PublicMessage[];
  /** The messages after the input: tool calls, their results, and the answer. */
  messages: PublicMessage[];
  usage: TokenUsage;
  /** The errors and artifacts of tool calls, which are not part of the messages. */
  toolResults?: TurnToolResult[];
  /** The sources of the answer. */
  sources?: Source[];
};

/** A reference in a public turn, and the stored part that it represents. */
export type ReferredPart = { reference: PartReference; part: DataPart };

/**
 * Turns a stored turn into the public turn for a client, with references instead of data. Copies only known fields,
 * because another release may have stored more. Also returns the references, so that a caller can add their data.
 */
export function toPublicTurn(stored: StoredTurn): { turn: PublicTurn; referred: ReferredPart[] } {
  const { seq, runId, runnable, status, createdAt, input, history, messages, usage, toolResults, sources } = stored;
  const parts = new PublicParts();
  const publicHistory = history?.map((message) => toPublicMessage(message, parts));
  const turn = {
    seq,
    runId,
    runnable,
    status,
    createdAt,
    input: parts.replace(input),
    ...(publicHistory !== undefined && { history: publicHistory }),
    messages: messages.map((message) => toPublicMessage(withoutFailure(message, toolResults), parts)),
    usage: normalizeUsage(usage),
    ...(toolResults !== undefined && { toolResults: toolResults.map(toPublicToolResult) }),
    ...(sources !== undefined && { sources: sources.map(toPublicSource) }),
  };
  return { turn, referred: parts.referred };
}

/** Replaces the error text that the model received from a failed tool by the error text for clients. */
function withoutFailure(message: ChatMessage, results: readonly TurnToolResult[] = []): ChatMessage {
  if (message.role !== "tool") return message;
  const error = results.find(({ toolCallId }) => toolCallId === message.toolCallId)?.error;
  return error === undefined ? message : { ...message, content: error };
}

/** Numbers the images, audio and files of one turn, and replaces them by references, except for URLs. */
class PublicParts {
  readonly referred: ReferredPart[] = [];
  #count = 0;

  replace(content: MessageContent): PublicContent {
    return typeof content === "string" ? content : content.map((part) => this.#toPublicPart(part));
  }

  #toPublicPart(part: ContentPart): ContentPart | PartReference {
    if (part.type === "text") return { type: "text", text: part.text };
    const index = this.#count;
    this.#count += 1;
    const bytes = countDataBytes(part);
    const { type, mimeType } = part;
    const facts = {
      type,
      ...(mimeType !== undefined && { mimeType }),
      ...(part.type === "file" && part.filename !== undefined && { filename: part.filename }),
    };
    // The part is a URL, so it has no bytes that a reference could stand for.
    if (bytes === undefined) return { ...facts, data: part.data } as DataPart;
    const reference = { ...facts, stored: { index, bytes } };
    this.referred.push({ reference, part });
    return reference;
  }
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

function toPublicMessage(
  { role, content, toolCalls, toolCallId, name }: ChatMessage,
  parts: PublicParts,
): PublicMessage {
  return {
    role,
    content: content === null ? null : parts.replace(content),
    ...(toolCalls !== undefined && {
      toolCalls: toolCalls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })),
    }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(name !== undefined && { name }),
  };
}
