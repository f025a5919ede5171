/** Extended thinking. `effort` is read by openai; `budgetTokens` by anthropic, google and vertex. */
export type ReasoningConfig = { enabled: boolean; effort?: "low" | "medium" | "high"; budgetTokens?: number };

/** The form of an answer. */
export type ResponseFormat = "text" | "json" | { type: "json_schema"; schema: Record<string, unknown>; name?: string };

/** Options of a model's answer. */
export type ModelConfig = {
  temperature?: number;
  maxTokens?: number;
  topP?: number;
  stop?: string[];
  responseFormat?: ResponseFormat;
  apiKey?: string;
  reasoning?: ReasoningConfig;
};

/** Options of one model call. */
export type ModelOptions = ModelConfig & {
  tools?: readonly ToolSpec[];
  /** `none` sends the tools, but the model may not call them. @default "auto" */
  toolChoice?: "auto" | "none" | "required";
  signal?: AbortSignal;
};

/** A tool as a model sees it. */
export type ToolSpec = { name: string; description: string; parameters: Record<string, unknown> };
