import { runTools } from "../agent/run-tools.ts";
import type { MessageContent } from "../message/content.ts";
import type { ToolCallResult } from "../message/tool-call.ts";
import type { StreamChunk } from "../model/stream-chunk.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { createId } from "../util/create-id.ts";
import { Delegation } from "./delegation.ts";
import type { Member } from "./member.ts";
import type { TeamPlan } from "./team-plan.ts";

/** What one member is asked, and what the account says of it. */
export type Inquiry = {
  readonly member: Member;
  readonly content: MessageContent;
  readonly args: Record<string, unknown>;
};

/** What is said of an inquiry is for the account alone. */
const parameters = { type: "object" };

/** Asks several members at once, without a model that asks for it; the results come in the order of the inquiries. */
export async function* consult(
  { orchestrator, desk }: TeamPlan,
  inquiries: readonly Inquiry[],
): AsyncGenerator<StreamChunk, ToolCallResult[]> {
  const { run } = orchestrator;
  const toolCalls = inquiries.map(({ member, args }) => ({ id: createId(), name: member.toolName, arguments: args }));
  const before = run.toolCalls.length;
  const tools = new ToolSet(
    inquiries.map(({ member, content }) => new Delegation({ member, desk, parameters, contentOf: () => content })),
  );
  for (const { id, name, arguments: args } of toolCalls) {
    yield { type: "tool_call_start", toolCall: { id, name } };
    yield { type: "tool_call_delta", toolCallId: id, argumentsDelta: JSON.stringify(args) };
  }
  yield* runTools({ ...orchestrator, tools }, { text: "", toolCalls }, before);
  return run.toolCalls.slice(before);
}
