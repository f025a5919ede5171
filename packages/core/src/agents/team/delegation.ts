import { executeTools } from "../agent/tool-loop.ts";
import { toPublicError } from "../../base/errors/public-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunSteps } from "../run/run-steps.ts";
import type { JsonSchema } from "../../schema/object-schema.ts";
import { onStoredResult } from "../tool/child-run-tool.ts";
import type { ChildRunTool } from "../tool/child-run-tool.ts";
import { passOnCitations, toToolResult } from "../tool/runnable-as-tool.ts";
import { ToolSet } from "../tool/tool-set.ts";
import type { ToolResult } from "../run/tool.ts";
import type { MemberRuns } from "./member-runs.ts";
import type { TeamMember } from "./members.ts";
import type { TeamRunPlan } from "./team-plan.ts";

type DelegationToolOptions = {
  readonly member: TeamMember;
  readonly memberRuns: MemberRuns;
  readonly parameters: JsonSchema;
  /** Makes the member's input from the arguments of the call. */
  readonly contentOf: (args: Record<string, unknown>) => MessageContent;
};

/** A member as a tool: a call runs the member within the team's run and returns the member's text and artifacts. */
class DelegationTool implements ChildRunTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** The messages of errors that a delegation's `execute` throws may be shown to clients. */
  readonly publicErrors = true;
  readonly #options: DelegationToolOptions;

  constructor(options: DelegationToolOptions) {
    const { member, parameters } = options;
    this.name = member.toolName;
    this.description = member.runnable.description?.trim() || `Hands a task to ${member.name}.`;
    this.parameters = parameters;
    this.#options = options;
  }

  /** The time limit of a delegation. It is read when a call starts, because it depends on the run's remaining time. */
  get timeoutMs(): number {
    return this.#options.memberRuns.timeoutMs;
  }

  async execute(args: Record<string, unknown>, context: RunContext): Promise<ToolResult> {
    const { member, memberRuns, contentOf } = this.#options;
    try {
      const output = await memberRuns.run({ member, content: contentOf(args), context });
      return toToolResult({ ...output, text: passOnCitations(output, context) || "(no answer)" });
    } catch (error) {
      const { code, message } = toPublicError(error);
      throw new TroupeError(code, message, { cause: error });
    }
  }

  [onStoredResult](steps: RunSteps): void {
    this.#options.memberRuns.noteStored(this.#options.member, steps);
  }
}

const taskParameters = {
  type: "object",
  properties: { task: { type: "string", minLength: 1, description: "What to do, with all that it takes to do it." } },
  required: ["task"],
  additionalProperties: false,
};

/**
 * Makes one delegation tool for each member, for the orchestrator of mode `coordinate`. Attachments of the team's input
 * are passed along with each task.
 */
export function delegationTools(
  members: readonly TeamMember[],
  memberRuns: MemberRuns,
  input: () => MessageContent,
): ToolSet {
  const contentOf = ({ task }: Record<string, unknown>) => withAttachments(String(task), input());
  return new ToolSet(
    members.map((member) => new DelegationTool({ member, memberRuns, parameters: taskParameters, contentOf })),
  );
}

function withAttachments(task: string, input: MessageContent): MessageContent {
  const attachments = typeof input === "string" ? [] : input.filter(({ type }) => type !== "text");
  return attachments.length === 0 ? task : [{ type: "text", text: task }, ...attachments];
}

/**
 * A task for a member in mode `broadcast` or `collaborate`, which was not requested by a model. `args` are the
 * arguments of the synthetic tool call that records it.
 */
export type MemberTask = {
  readonly member: TeamMember;
  readonly content: MessageContent;
  readonly args: Record<string, unknown>;
};

/** The argument schema of delegations that no model requested. Their arguments are only recorded in the tool call. */
const recordedParameters = { type: "object" };

/**
 * Runs several members in parallel for a strategy. They are recorded as tool calls although no model requested them.
 * Yields the chunks of these calls and returns the results in the order of the tasks.
 */
export async function* delegateInParallel(
  { orchestrator, memberRuns, run }: TeamRunPlan,
  tasks: readonly MemberTask[],
): AsyncGenerator<StreamChunk, ToolCallResult[]> {
  const before = run.toolCalls.length;
  const toolCalls = tasks.map(({ member, args }, index) => {
    const id = run.steps.id(`delegation/${before}/${index}`);
    return { id, name: member.toolName, arguments: args };
  });
  const parameters = recordedParameters;
  const tools = new ToolSet(
    tasks.map(
      ({ member, content }) => new DelegationTool({ member, memberRuns, parameters, contentOf: () => content }),
    ),
  );
  for (const { id, name, arguments: args } of toolCalls) {
    yield { type: "tool_call_start", toolCall: { id, name } };
    yield { type: "tool_call_delta", toolCallId: id, argumentsDelta: JSON.stringify(args) };
  }
  yield* executeTools({ ...orchestrator, tools, maxParallelTools: Infinity }, { text: "", toolCalls }, before);
  return run.toolCalls.slice(before);
}
