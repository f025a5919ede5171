import { toPublicError } from "../errors/public-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { MessageContent } from "../message/content.ts";
import type { RunContext } from "../run/run-context.ts";
import type { JsonSchema } from "../schema/object-schema.ts";
import type { ToolDef } from "../tool/tool.ts";
import type { Member } from "./member.ts";
import type { MemberDesk } from "./member-desk.ts";

/** Who is asked where, with what. */
type DelegationPlan = {
  readonly member: Member;
  readonly desk: MemberDesk;
  readonly parameters: JsonSchema;
  readonly contentOf: (args: Record<string, unknown>) => MessageContent;
};

/** A member of a team as a tool: called, it works within the team's run and gives its text. */
export class Delegation implements ToolDef {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly #plan: DelegationPlan;

  constructor(plan: DelegationPlan) {
    const { member, parameters } = plan;
    this.name = member.toolName;
    this.description = member.runnable.description?.trim() || `Hands a task to ${member.name}.`;
    this.parameters = parameters;
    this.#plan = plan;
  }

  /** What is left of the run decides when the call is made. */
  get timeoutMs(): number {
    return this.#plan.desk.timeoutMs;
  }

  async execute(args: Record<string, unknown>, context: RunContext): Promise<string> {
    const { member, desk, contentOf } = this.#plan;
    try {
      const { text } = await desk.ask({ member, content: contentOf(args), context });
      return text || "(no answer)";
    } catch (error) {
      const { code, message } = toPublicError(error);
      throw new TroupeError(code, message, { cause: error });
    }
  }
}
