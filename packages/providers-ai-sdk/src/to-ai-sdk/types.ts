import type { RunOpts } from "@troupe/core";

/** The call options of the AI SDK that this package reads. */
export type AiSdkCall = {
  prompt: readonly { role: string; content: unknown }[];
  temperature?: number | undefined;
  topP?: number | undefined;
  maxOutputTokens?: number | undefined;
  stopSequences?: readonly string[] | undefined;
  seed?: number | undefined;
  topK?: number | undefined;
  presencePenalty?: number | undefined;
  frequencyPenalty?: number | undefined;
  responseFormat?: { type: string; schema?: unknown; name?: string | undefined } | undefined;
  reasoning?: string | undefined;
  tools?: readonly unknown[] | undefined;
  abortSignal?: AbortSignal | undefined;
  providerOptions?: Readonly<Record<string, unknown>> | undefined;
};

/** A warning about a setting of a call that agents do not support. */
type AiSdkWarning = { type: "unsupported"; feature: string; details?: string };

type AiSdkSource =
  | { type: "source"; sourceType: "url"; id: string; url: string; title?: string }
  | { type: "source"; sourceType: "document"; id: string; mediaType: string; title: string };

/** A tool that the agent called and executed itself. */
type AiSdkToolCall = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: string;
  providerExecuted: true;
  dynamic: true;
};

/** The result of a tool that the agent executed. */
type AiSdkToolResult = {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  result: string;
  isError?: boolean;
  dynamic: true;
};

/** The end of a call: the reason, and the tokens of all model calls of the run. */
type AiSdkFinish = {
  finishReason: {
    unified: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";
    raw: string | undefined;
  };
  usage: {
    inputTokens: {
      total: number | undefined;
      noCache: number | undefined;
      cacheRead: number | undefined;
      cacheWrite: number | undefined;
    };
    outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined };
  };
  providerMetadata?: { troupe: { runId: string; sessionId?: string } };
};

/** A part of a streamed answer of an agent. */
export type AiSdkAgentPart =
  | { type: "stream-start"; warnings: AiSdkWarning[] }
  | { type: "response-metadata"; id: string; modelId: string }
  | { type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string }
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  | AiSdkToolCall
  | AiSdkToolResult
  | AiSdkSource
  | ({ type: "finish" } & AiSdkFinish)
  | { type: "error"; error: unknown };

/** A whole answer of an agent. */
export type AiSdkAgentResult = AiSdkFinish & {
  content: (
    | { type: "text"; text: string }
    | { type: "reasoning"; text: string }
    | AiSdkToolCall
    | AiSdkToolResult
    | AiSdkSource
  )[];
  response: { id: string; modelId: string };
  warnings: AiSdkWarning[];
};

/** An agent as a language model of the AI SDK: a `LanguageModelV4`. */
export type AiSdkAgentModel = {
  readonly specificationVersion: "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: AiSdkCall): Promise<AiSdkAgentResult>;
  doStream(options: AiSdkCall): Promise<{ stream: ReadableStream<AiSdkAgentPart> }>;
};

/** Options of `toAiSdk`. */
export type ToAiSdkOptions = {
  /**
   * Returns options of the run for a call, such as the user's id or API keys. They take precedence over `sessionId`,
   * `userId` and `metadata` in the call's `providerOptions.troupe`. @default none
   */
  runOptions?: ((call: AiSdkCall) => RunOpts | Promise<RunOpts>) | undefined;
};
