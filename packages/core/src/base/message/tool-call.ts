import type { MessageContent } from "./content.ts";

/** A tool call that a model asked for, with its arguments parsed. */
export type ToolCall = { id: string; name: string; arguments: Record<string, unknown> };

/** Output of a tool besides its text: JSON data for the caller, which the model does not see. */
export type Artifact = { type: string; data: unknown; mimeType?: string };

/** An artifact in the output of a run or in a stored turn, with the tool call that created it. */
export type ToolArtifact = Artifact & { toolCallId: string; toolName: string };

/** Result of one tool call. */
export type ToolCallResult = {
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
  /** Content that the model received, even if the tool failed: a string, or parts if the tool returned parts. */
  result: MessageContent;
  /**
   * Present if the tool failed, was refused or is unknown: the text for clients. It does not include an exception's
   * text unless the tool has `publicErrors`; `result` includes it for the model.
   */
  error?: string;
  durationMs: number;
  artifacts?: Artifact[];
};

/**
 * The effect of executing a tool: it has no effect (`pure`), a repetition has no further effect (`idempotent`), or each
 * execution has its own effect (`once`).
 */
export type ToolEffect = "pure" | "idempotent" | "once";
