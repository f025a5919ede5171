import type { MessageContent } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import type { ToolCall } from "../message/tool-call.ts";
import type { Redactor } from "../log/redact.ts";

/** The vendor and name of a model. */
export type ModelName = { readonly providerId: string; readonly modelId: string };

/**
 * The end of an operation. `error` is the thrown value of a failed operation, of which telemetry records only the
 * code.
 */
type OperationEnd = { readonly error?: unknown };

/** The kind of a run. Runs of the kinds `facts` and `title` follow another run after its end. */
export type ObservedRunKind = "agent" | "team" | "workflow" | "remote" | "facts" | "title";

/** The beginning of a run, or of an attempt at a durable run. */
type ObservedRun = {
  readonly kind: ObservedRunKind;
  readonly name: string;
  readonly runId: string;
  readonly parentRunId?: string | undefined;
  /** The session id, if the caller can use the session again. */
  readonly sessionId?: string | undefined;
  readonly model?: ModelName | undefined;
  /** The number of the attempt at a durable run, from 1. */
  readonly attempt?: number | undefined;
  /** Masks the caller's API keys in texts. */
  readonly redact: Redactor;
  readonly input: () => MessageContent;
};

/** The end of a run. A paused durable run continues in another attempt. */
export type ObservedRunEnd = OperationEnd & {
  readonly status: "completed" | "error" | "cancelled" | "paused";
  /** The tokens of the run and its child runs. */
  readonly usage: TokenUsage;
  readonly text: () => string;
};

/** Settings of a model call that telemetry may record. */
export type ObservedSettings = {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly reasoningEffort?: string | undefined;
  readonly outputType?: "text" | "json" | undefined;
};

/** The beginning of a model call, which includes its retries. */
export type ModelCallBegin = {
  readonly model: ModelName;
  readonly isStream: boolean;
  readonly settings: ObservedSettings;
  readonly messages: () => readonly ChatMessage[];
  readonly tools: () => readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: unknown;
  }[];
};

/** The answer of a model call. */
type ObservedAnswer = {
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[] | undefined;
  readonly finishReason?: string | undefined;
  readonly responseId?: string | undefined;
  /** The vendor's name of the model that answered. */
  readonly model?: string | undefined;
  readonly answeredBy?: ModelName | undefined;
};

/** The end of a model call: its answer, and the usage of all its attempts that were billed. */
type ModelCallEnd = OperationEnd & {
  readonly usage: TokenUsage;
  readonly answer?: ObservedAnswer | undefined;
  readonly isCancelled?: boolean;
};

/** The facts about a tool call that are known when it begins. */
type ToolCallBegin = {
  readonly name: string;
  /** False if the model has called a tool that does not exist. */
  readonly isKnown: boolean;
  readonly toolCallId: string;
  readonly description?: string | undefined;
  readonly args: () => unknown;
};

/** The end of a tool call. `failure` is set if the tool failed or was refused. */
type ToolCallEnd = OperationEnd & {
  readonly failure?: string | undefined;
  readonly isPaused?: boolean;
  readonly result: () => MessageContent | undefined;
};

/** A request to an MCP server, or a request that our MCP server answers. */
type McpBegin = {
  readonly side: "client" | "server";
  readonly method: string;
  readonly toolName?: string | undefined;
  readonly requestId?: string | undefined;
  readonly transport?: "tcp" | "pipe" | undefined;
  readonly address?: string | undefined;
};

/** The end of an MCP request. `isToolError` is true if the tool itself reported a failure. */
type McpEnd = OperationEnd & { readonly isToolError?: boolean };

/** Each operation that telemetry records, with the facts of its beginning and its end. */
export type Operations = {
  readonly run: { readonly begin: ObservedRun; readonly end: ObservedRunEnd };
  readonly model: { readonly begin: ModelCallBegin; readonly end: ModelCallEnd };
  readonly tool: { readonly begin: ToolCallBegin; readonly end: ToolCallEnd };
  /** A step of a workflow. */
  readonly step: { readonly begin: { readonly name: string; readonly kind: string }; readonly end: OperationEnd };
  /** A read or write of a memory. */
  readonly memory: {
    readonly begin: { readonly action: "search" | "upsert"; readonly store: "session" | "facts" };
    readonly end: OperationEnd & { readonly count?: number | undefined };
  };
  readonly embeddings: {
    readonly begin: { readonly model: Partial<ModelName>; readonly count: number };
    readonly end: OperationEnd & { readonly dimensions?: number | undefined };
  };
  /** A search of a knowledge base. */
  readonly retrieval: {
    readonly begin: {
      readonly source: string;
      readonly topK?: number | undefined;
      readonly query: () => string | undefined;
    };
    readonly end: OperationEnd & {
      readonly documents: () => readonly { readonly id: string; readonly score?: number; readonly content: string }[];
    };
  };
  readonly mcp: { readonly begin: McpBegin; readonly end: McpEnd };
  /** The acceptance of a durable run, whose attempts become its children. */
  readonly accept: {
    readonly begin: { readonly kind: string; readonly name: string; readonly runId: string };
    readonly end: OperationEnd;
  };
};

/** An event during an operation. */
export type OperationEvent =
  /** An attempt at a model call has ended. `error` is its code. */
  | (ModelName & {
      readonly type: "attempt";
      readonly attempt: number;
      readonly durationMs: number;
      readonly usage?: TokenUsage | undefined;
      readonly error?: string | undefined;
    })
  /** A chunk of a streamed answer has arrived. */
  | { readonly type: "chunk" }
  /** A durable run waits for an answer of this kind. */
  | { readonly type: "wait"; readonly kind: string }
  /** An attempt continues a durable run after a crash, after a process gave it back, or after a wait. */
  | { readonly type: "takeover"; readonly kind: "crash" | "handover" | "wait"; readonly attempt: number };
