import type { MessageContent } from "../message/content.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { Delegation } from "./delegation.ts";
import type { Member } from "./member.ts";
import type { MemberDesk } from "./member-desk.ts";

const parameters = {
  type: "object",
  properties: { task: { type: "string", minLength: 1, description: "What to do, with all that it takes to do it." } },
  required: ["task"],
  additionalProperties: false,
};

/** The members as tools that take a task. What the user sent along with the words goes with it. */
export function taskTools(members: readonly Member[], desk: MemberDesk, input: () => MessageContent): ToolSet {
  const contentOf = ({ task }: Record<string, unknown>) => withAttachments(String(task), input());
  return new ToolSet(members.map((member) => new Delegation({ member, desk, parameters, contentOf })));
}

function withAttachments(task: string, input: MessageContent): MessageContent {
  const attachments = typeof input === "string" ? [] : input.filter(({ type }) => type !== "text");
  return attachments.length === 0 ? task : [{ type: "text", text: task }, ...attachments];
}
