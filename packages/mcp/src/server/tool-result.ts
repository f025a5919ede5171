import type { RunOutput, Source, TokenUsage, WorkflowResult } from "@troupe/core";
import type { PublicOutput } from "@troupe/core/transport";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { readMedia } from "./media-content.ts";

/** A run that is completed: its public output and its ids. */
export type EndedRun = {
  readonly output: PublicOutput | WorkflowResult<object>;
  readonly runId: string;
  readonly sessionId: string;
};

/** Makes the result of a tool call from the output of its run. */
export function toResult({ output, runId, sessionId }: EndedRun, maxMediaBytes: number): CallToolResult {
  const answer = "steps" in output ? answerOf(output) : output;
  const { text, structured, usage } = answer;
  const structuredContent = {
    text,
    ...(structured !== undefined && structured !== null && { structured }),
    sessionId: answer.sessionId ?? sessionId,
    runId: answer.runId ?? runId,
    usage: toPublicUsage(usage),
  };
  const content = [{ type: "text" as const, text }, ...(answer.sources ?? []).map(toResource)];
  return { content: [...content, ...readMedia(answer, maxMediaBytes)], structuredContent };
}

/**
 * Makes a resource of a source, in the order by which marks such as `[2]` name it. Its text is the passage; a source
 * without an address gets a URI of its id.
 */
function toResource({ id, url, title, place, passage }: Source): ContentBlock {
  const uri = url ?? `source:${encodeURIComponent(id)}`;
  const facts = { ...(title !== undefined && { title }), ...(place !== undefined && { place }) };
  return {
    type: "resource",
    resource: { uri, mimeType: "text/plain", text: passage ?? title ?? uri, _meta: facts },
  };
}

/**
 * Returns the result of a workflow as an answer. Its text is the last output of a step or, without such an output, the
 * state.
 */
function answerOf({ state, steps, usage }: WorkflowResult<object>): RunOutput {
  const answer = steps.findLast((step) => step.output !== undefined)?.output ?? state;
  return {
    text: typeof answer === "string" ? answer : JSON.stringify(answer),
    structured: state,
    usage,
    toolCalls: [],
  };
}

/** Returns only the token counts of a usage: the vendor's own data is not for clients. */
function toPublicUsage({ providerMetrics: _metrics, ...counts }: TokenUsage): Omit<TokenUsage, "providerMetrics"> {
  return counts;
}
