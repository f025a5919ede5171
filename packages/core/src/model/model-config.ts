/** Extended thinking. `effort` is read by openai; `budgetTokens` by anthropic, google and vertex. */
export type ReasoningConfig = { enabled: boolean; effort?: "low" | "medium" | "high"; budgetTokens?: number };

/** The form of the answer. */
export type ResponseFormat = "text" | "json" | { type: "json_schema"; schema: Record<string, unknown>; name?: string };

/** How a model is to answer. */
export type ModelConfig = {
  temperature?: number;
  maxTokens?: number;
  topP?: number;
  stop?: string[];
  responseFormat?: ResponseFormat;
  apiKey?: string;
  reasoning?: ReasoningConfig;
};

/** One call: how to answer, with which tools, and the signal that ends it. */
export type ModelOptions = ModelConfig & {
  tools?: readonly ToolSpec[];
  /** `none` keeps the tools known but not callable. @default "auto" */
  toolChoice?: "auto" | "none" | "required";
  signal?: AbortSignal;
};

/** All that a model knows of a tool. */
export type ToolSpec = { name: string; description: string; parameters: Record<string, unknown> };
