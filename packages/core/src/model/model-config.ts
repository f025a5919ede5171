/**
 * Settings of a model's extended thinking. `effort` is read by openai; `budgetTokens` by anthropic, google and vertex.
 */
export type ReasoningConfig = { enabled: boolean; effort?: "low" | "medium" | "high"; budgetTokens?: number };

/** The format that a model's answer must have: plain text, any JSON, or JSON that fits a JSON schema. */
export type ResponseFormat = "text" | "json" | { type: "json_schema"; schema: Record<string, unknown>; name?: string };

/** Settings of one model call for its answer (sampling, length, format, thinking), and the API key for its vendor. */
export type ModelConfig = {
  temperature?: number;
  maxTokens?: number;
  topP?: number;
  stop?: string[];
  responseFormat?: ResponseFormat;
  apiKey?: string;
  reasoning?: ReasoningConfig;
};

/**
 * Options of one call of a `ModelProvider`: the settings of the answer, the tools, and the signal that cancels the
 * call.
 */
export type ModelOptions = ModelConfig & {
  tools?: readonly ToolSpec[];
  /** `none` sends the tools, but the model may not call them. @default "auto" */
  toolChoice?: "auto" | "none" | "required";
  signal?: AbortSignal;
};

/** A tool as it is described to a model: its name, its description, and the JSON schema of its arguments. */
export type ToolSpec = { name: string; description: string; parameters: Record<string, unknown> };
