import type {
  Artifact,
  ChatMessage,
  MessageContent,
  StreamChunk,
  TextChunk,
  TroupeError,
  WaitKind,
} from "@troupe/core";
import type { RunStatus } from "@troupe/core/runs";
import { toPublicChunk, toPublicFailure } from "@troupe/core/transport";
import type { Source } from "@troupe/core";
import type { PublicOutput } from "@troupe/core/transport";

/** The ids of a run, which each of its events carries, so that clients can distinguish the runs of one socket. */
export type RunIds = {
  runId: string;
  /** The name of the agent or team, as the client sent it. */
  name: string;
  sessionId: string;
};

/**
 * The fields of all events of a run: its ids and, for a run that outlives its socket, the position of the event for
 * `agent.attach`.
 */
export type RunEventBase = RunIds & { id?: string };

/** A refusal or failure for clients: a sentence, a code of `ErrorCode`, and the fields of that error. */
export type ClientError = { error: string; code: string; [field: string]: unknown };

/** The member whose answer is the answer of a team in mode `route`, and the tool call that handed the question over. */
type Speaker = { speaker?: string; delegationId?: string };

/** A member of a team, and the tool call that delegated to it. */
type Member = { member: string; delegationId?: string };

/** The events that the gateway sends, with their payloads, in Socket.IO's type format. */
export type GatewayServerEvents = {
  "agent.chunk": (payload: RunEventBase & Speaker & { chunk: string }) => void;
  "agent.thinking": (payload: RunEventBase & Speaker & { text: string }) => void;
  /** Text of a team's member that is not part of the team's answer: see the option `streamMembers`. */
  "agent.member.chunk": (payload: RunEventBase & Member & { chunk: string }) => void;
  "agent.member.thinking": (payload: RunEventBase & Member & { text: string }) => void;
  "agent.source": (payload: RunEventBase & { source: Source }) => void;
  /** The model has named a tool. Its arguments are in the output of `agent.done`. */
  "agent.tool.call": (payload: RunEventBase & { toolName: string; args: null; toolCallId: string }) => void;
  "agent.tool.progress": (payload: RunEventBase & { toolCallId: string; toolName: string; progress: unknown }) => void;
  "agent.tool.result": (
    payload: RunEventBase & {
      toolCallId: string;
      toolName: string;
      result: MessageContent;
      error?: string;
      artifacts?: Artifact[];
      durationMs: number;
    },
  ) => void;
  "agent.tool.done": (payload: RunEventBase & { toolCallId: string }) => void;
  /** The run waits for an answer: see `agent.answer`. */
  "agent.wait": (
    payload: RunEventBase & { waitId: string; kind: WaitKind; about: unknown; until?: number; toolCallId?: string },
  ) => void;
  "agent.done": (payload: RunEventBase & { output: PublicOutput }) => void;
  /** A run failed, or a request was refused. A refusal contains only the ids that are known. */
  "agent.error": (payload: ClientError & Partial<RunEventBase>) => void;
};

/** A request to run an agent or a team. */
export type RunPayload = {
  name: string;
  input: MessageContent;
  /** The session of the run. @default a new session, which the acknowledgement names */
  sessionId?: string;
  userId?: string;
  /** The API key for the agent's vendor. @default `auth.apiKey` of the handshake */
  apiKey?: string;
  /** API keys by vendor, such as `{ openai: "…", anthropic: "…" }`. */
  apiKeys?: Record<string, string>;
  messages?: ChatMessage[];
  /**
   * The idempotency key of a request. Requests with the same key return the same run, which then outlives its socket.
   */
  idempotencyKey?: string;
};

type Acknowledge<Result> = (result: Result | ClientError) => void;

/** The events that the gateway accepts, with their payloads and acknowledgements, in Socket.IO's type format. */
export type GatewayClientEvents = {
  "agent.run": (payload: RunPayload, acknowledge?: Acknowledge<Omit<RunIds, "name">>) => void;
  "team.run": (payload: RunPayload, acknowledge?: Acknowledge<Omit<RunIds, "name">>) => void;
  "agent.cancel": (
    payload: { runId: string },
    acknowledge?: Acknowledge<{ runId: string; status: RunStatus | "cancelling" }>,
  ) => void;
  "agent.attach": (
    payload: { runId: string; after?: string },
    acknowledge?: Acknowledge<RunIds & { status: RunStatus }>,
  ) => void;
  "agent.answer": (
    payload: { runId: string; waitId: string; answer: unknown },
    acknowledge?: Acknowledge<{ runId: string; waitId: string }>,
  ) => void;
};

type Payload<Name extends keyof GatewayServerEvents> = Parameters<GatewayServerEvents[Name]>[0];

/** An event for a client: name and payload of `emit`. */
export type ServerEvent = {
  [Name in keyof GatewayServerEvents]: readonly [name: Name, payload: Payload<Name>];
}[keyof GatewayServerEvents];

/**
 * Makes the event for a chunk, with known fields only. Returns undefined for chunks without an event: pieces of a tool
 * call's arguments, the end, and unknown chunks.
 */
export function toServerEvent(chunk: StreamChunk, origin: RunEventBase): ServerEvent | undefined {
  switch (chunk.type) {
    case "text":
    case "thinking":
      return toTextEvent(chunk, origin);
    case "tool_call_start": {
      const { id, name } = chunk.toolCall;
      return ["agent.tool.call", { ...origin, toolName: name, args: null, toolCallId: id }];
    }
    case "tool_call_end":
      return ["agent.tool.done", { ...origin, toolCallId: chunk.toolCallId }];
    case "tool_progress": {
      const { toolCallId, toolName, progress } = chunk;
      return ["agent.tool.progress", { ...origin, toolCallId, toolName, progress }];
    }
    case "tool_result": {
      const { type: _, ...result } = toPublicChunk(chunk) as typeof chunk;
      return ["agent.tool.result", { ...origin, ...result }];
    }
    case "source": {
      const { type: _, ...source } = toPublicChunk(chunk) as typeof chunk;
      return ["agent.source", { ...origin, source }];
    }
    default:
      return undefined;
  }
}

/** Makes the event for a text. Text of a member that is not part of the answer has an event name of its own. */
function toTextEvent({ type, text, member, speaker, delegationId }: TextChunk, origin: RunEventBase): ServerEvent {
  const ids = { ...origin, ...(delegationId !== undefined && { delegationId }) };
  if (member !== undefined) {
    return type === "text"
      ? ["agent.member.chunk", { ...ids, member, chunk: text }]
      : ["agent.member.thinking", { ...ids, member, text }];
  }
  const spoken = speaker === undefined ? ids : { ...ids, speaker };
  return type === "text" ? ["agent.chunk", { ...spoken, chunk: text }] : ["agent.thinking", { ...spoken, text }];
}

/** Makes the error for clients: sentence, code and fields, and for a failed run its id and its usage. */
export function toClientError(error: TroupeError): ClientError {
  const { message, ...fields } = toPublicFailure(error);
  return { ...fields, error: message };
}
