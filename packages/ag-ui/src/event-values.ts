import type { RunWait, TokenUsage } from "@troupe/core";

/** Returns the JSON Pointer of a key of the state. */
export function toPointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Converts a question of a run to an interrupt. */
export function toInterrupt({ id, kind, about, toolCallId, until }: RunWait): object {
  const facts = Object(about) as { toolName?: string; question?: string; schema?: object };
  const { toolName = "the tool", question = `The run waits: ${kind}.`, schema } = facts;
  const isApproval = kind === "approval";
  return {
    id,
    reason: isApproval ? "tool_call" : `troupe:${kind}`,
    message: isApproval ? `Call ${toolName}?` : question,
    ...(toolCallId !== undefined && { toolCallId }),
    ...(isApproval && { responseSchema: approvalSchema }),
    ...(kind === "question" && { responseSchema: schema ?? { type: "string" } }),
    ...(until !== undefined && { expiresAt: new Date(until).toISOString() }),
    metadata: { about },
  };
}

const approvalSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" }, editedArgs: { type: "object" } },
  required: ["approved"],
};

/** Converts the usage of a run. */
export function toUsage({
  promptTokens,
  completionTokens,
  totalTokens,
  reasoningTokens,
  cachedTokens,
}: TokenUsage): object {
  return {
    inputTokens: promptTokens,
    outputTokens: completionTokens,
    totalTokens,
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedTokens !== undefined && { cachedInputTokens: cachedTokens }),
  };
}
