import type { OpenStep } from "../run/run-steps.ts";
import type { WaitKind } from "../run/run-wait.ts";
import type { ToolDef } from "../run/tool.ts";
import type { Json } from "../../sessions/storage/json.ts";

/** A question about a tool call, with facts for the person who answers. */
export type CallQuestion = {
  readonly toolCallId: string;
  readonly tool: ToolDef;
  readonly args: Record<string, unknown>;
  /** JSON Schema of the arguments, for an answer that may change them. */
  readonly argsSchema?: object;
  readonly idempotencyKey?: string;
};

/**
 * Returns the answer to a question about a tool call. The run may be suspended until there is an answer. After `waitMs`
 * of the tool an approval is answered as denied, and any other question rejects as `timeout`.
 */
export async function askAbout(
  step: Pick<OpenStep, "ask">,
  kind: WaitKind,
  { tool, toolCallId, argsSchema, ...facts }: CallQuestion,
): Promise<Json> {
  const { name: toolName, waitMs } = tool;
  const about = { toolName, ...facts } as unknown as Json;
  const until = waitMs === undefined ? {} : { until: Date.now() + Math.ceil(waitMs) };
  const schema = argsSchema === undefined ? {} : { argsSchema: argsSchema as Json };
  return await step.ask({ kind, about, toolCallId, ...schema, ...until });
}
