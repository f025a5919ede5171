import type { ToolCallResult } from "../message/tool-call.ts";
import { compileStructuredSchema } from "../schema/compile-schema.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import { parseStructured } from "../schema/parse-structured.ts";

/** Whether a member agrees with what was said, and why not. */
export type Vote = { agree: boolean; reason?: string | undefined };

/** How a vote is to be given. */
export const voteForm =
  'Answer with JSON and nothing else: {"agree": true}, or {"agree": false, "reason": "what you do not agree with"}.';

const schema = {
  type: "object",
  properties: { agree: { type: "boolean" }, reason: { type: "string" } },
  required: ["agree"],
} as const;

/** Reads a vote. Only one that has its form counts: words that sound like agreement are none. */
export async function readVote({ result, error }: ToolCallResult): Promise<Vote> {
  if (error !== undefined) return { agree: false };
  try {
    return await parseStructured(result, compileStructuredSchema(schema, "vote") as CompiledSchema<Vote>);
  } catch {
    return { agree: false };
  }
}
