/** Content of a user's message or of a tool's result in the format of Converse. Bytes are base64. */
export type WireContent =
  | { text: string }
  | { image: { format: string; source: { bytes: string } } }
  | { document: { format: string; name: string; source: { bytes: string } } };

/** A mark after which Bedrock caches the prompt. */
export type WireCachePoint = { cachePoint: { type: "default"; ttl?: "1h" } };

/** A call of a tool in the format of Converse. */
export type WireToolUse = { toolUse: { toolUseId: string; name: string; input: unknown } };

/** The result of a tool call in the format of Converse. */
export type WireToolResult = { toolResult: { toolUseId: string; content: WireContent[]; status?: "error" } };

/** Reasoning in the format of Converse: readable, with the vendor's signature, or encrypted. */
export type WireReasoning = {
  reasoningContent: { reasoningText: { text: string; signature: string } } | { redactedContent: string };
};

/** A block of a message in the format of Converse. */
export type WireBlock = WireContent | WireCachePoint | WireToolUse | WireToolResult | WireReasoning;

/** A message in the format of Converse. */
export type WireMessage = { role: "user" | "assistant"; content: WireBlock[] };

/** A tool in the format of Converse. */
export type WireTool = {
  toolSpec: { name: string; description?: string; inputSchema: { json: Record<string, unknown> } };
};

/** The tools of a request, and the tool calls that the model must make. */
export type WireToolConfig = {
  tools: (WireTool | WireCachePoint)[];
  toolChoice?: { any: object } | { tool: { name: string } };
};

/** The format and the effort of an answer. A schema is JSON text. */
export type WireOutputConfig = {
  effort?: string;
  textFormat?: { type: "json_schema"; structure: { jsonSchema: { schema: string; name?: string } } };
};

/** The settings that Converse has for all models. */
export type WireInference = { maxTokens?: number; temperature?: number; topP?: number; stopSequences?: string[] };

/** The body of a request to Converse or ConverseStream. */
export type WireRequest = {
  messages: WireMessage[];
  system?: ({ text: string } | WireCachePoint)[];
  inferenceConfig?: WireInference;
  toolConfig?: WireToolConfig;
  outputConfig?: WireOutputConfig;
  additionalModelRequestFields?: Record<string, unknown>;
};

/**
 * An event of a stream: its type, and its payload, whose fields may be missing or of another type. `isException` marks
 * an error, whose type is the name of the exception.
 */
export type WireEvent = { type?: unknown; payload?: unknown; isException?: true };
