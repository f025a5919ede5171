import type { Artifact, ChatMessage, MessageContent, StreamChunk, TroupeError, WaitKind } from "@troupe/core";
import type { RunStatus } from "@troupe/core/runs";
import { toPublicChunk, toPublicFailure } from "@troupe/core/transport";
import type { Source } from "@troupe/core";
import type { PublicOutput } from "@troupe/core/transport";

/** The ids of a run, which each of its events carries: they tell the runs of one socket apart. */
export type RunIds = {
  runId: string;
  /** The name of the agent or team, as the client gave it. */
  name: string;
  sessionId: string;
};

/** The fields that all events of a run have: its ids and, of a run that outlives its socket, the position of the event for `agent.attach`. */
export type EventOrigin = RunIds & { id?: string };

/** A refusal or failure, as clients see it: a sentence, a code of `ErrorCode`, and the fields of that error. */
export type ClientError = { error: string; code: string; [field: string]: unknown };

/** The events that the gateway sends, with their payloads, in the form in which Socket.IO types them. */
export type GatewayServerEvents = {
  "agent.chunk": (payload: EventOrigin & { chunk: string }) => void;
  "agent.thinking": (payload: EventOrigin & { text: string }) => void;
  "agent.source": (payload: EventOrigin & { source: Source }) => void;
  /** The model has named a tool. Its arguments are in the output of `agent.done`. */
  "agent.tool.call": (payload: EventOrigin & { toolName: string; args: null; toolCallId: string }) => void;
  "agent.tool.progress": (payload: EventOrigin & { toolCallId: string; toolName: string; progress: unknown }) => void;
  "agent.tool.result": (
    payload: EventOrigin & {
      toolCallId: string;
      toolName: string;
      result: MessageContent;
      error?: string;
      artifacts?: Artifact[];
      durationMs: number;
    },
  ) => void;
  "agent.tool.done": (payload: EventOrigin & { toolCallId: string }) => void;
  /** The run waits for an answer: see `agent.answer`. */
  "agent.wait": (
    payload: EventOrigin & { waitId: string; kind: WaitKind; about: unknown; until?: number; toolCallId?: string },
  ) => void;
  "agent.done": (payload: EventOrigin & { output: PublicOutput }) => void;
  /** A run failed, or a request was refused: then the ids are those that are known. */
  "agent.error": (payload: ClientError & Partial<EventOrigin>) => void;
};

/** A request to run an agent or a team. */
export type RunPayload = {
  name: string;
  input: MessageContent;
  /** @default a new session, which the acknowledgement names */
  sessionId?: string;
  userId?: string;
  /** The key for the vendor of the agent. @default `auth.apiKey` of the handshake */
  apiKey?: string;
  /** Keys by vendor, such as `{ openai: "…", anthropic: "…" }`. */
  apiKeys?: Record<string, string>;
  messages?: ChatMessage[];
  /** A repeated request with the same key is the same run, which then outlives its socket. */
  idempotencyKey?: string;
};

type Acknowledge<Result> = (result: Result | ClientError) => void;

/** The events that the gateway takes, with their payloads and acknowledgements, in the form in which Socket.IO types them. */
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

/** An event for a client: its name and payload, as they are emitted. */
export type ServerEvent = {
  [Name in keyof GatewayServerEvents]: readonly [name: Name, payload: Payload<Name>];
}[keyof GatewayServerEvents];

/**
 * Makes the event that tells a client of a chunk, with declared fields alone. Returns undefined for a chunk that no event
 * tells of: the pieces of a tool call's arguments, the end, and unknown ones.
 */
export function toServerEvent(chunk: StreamChunk, origin: EventOrigin): ServerEvent | undefined {
  switch (chunk.type) {
    case "text":
      return ["agent.chunk", { ...origin, chunk: chunk.text }];
    case "thinking":
      return ["agent.thinking", { ...origin, text: chunk.text }];
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

/** Makes what clients see of an error: its sentence, code and fields and, of a run, its id and the tokens that it used. */
export function toClientError(error: TroupeError): ClientError {
  const { message, ...fields } = toPublicFailure(error);
  return { ...fields, error: message };
}
