/** A tool call as the model asked for it, with its arguments parsed. */
export type ToolCall = { id: string; name: string; arguments: Record<string, unknown> };

/** Something a tool made besides its text. */
export type Artifact = { type: string; data: unknown; mimeType?: string };

/** What became of one tool call. */
export type ToolCallResult = {
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
  /** What the model was told, also when the tool failed. */
  result: string;
  /** Present when the tool failed, was refused or was unknown. */
  error?: string;
  durationMs: number;
  artifacts?: Artifact[];
};
