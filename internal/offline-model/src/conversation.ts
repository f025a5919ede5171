import { cutText } from "@troupe/core/kit";
import { getTextContent, isMultiModal } from "@troupe/core";
import type { ChatMessage, ContentPart } from "@troupe/core";

/**
 * A result from which the offline model answers. `speaker` names the agent or team member that gave it; results of
 * other tools have no speaker.
 */
type Finding = { readonly speaker?: string; readonly text: string };

/** The parts of a conversation that the offline model uses. */
export type Conversation = {
  /** The texts of the system messages. */
  readonly instructions: string;
  /** The last text of the user, without the answers of members that a team adds to it. */
  readonly request: string;
  /** Images, audio and files of the last user message. */
  readonly attachments: readonly ContentPart[];
  /** Earlier texts of the user, oldest first. */
  readonly earlier: readonly string[];
  /** Facts about the user in the instructions, as a memory writes them there. */
  readonly facts: readonly string[];
  /** Results of tools and members since the request. */
  readonly findings: readonly Finding[];
};

/** Longest request that is read, in characters, because some patterns take quadratic time. */
const longestRequest = 4000;

/** Reads from messages the parts of a conversation that the offline model uses. */
export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[asked]?.content ?? null;
  const [request = "", ...reports] = cutText(getTextContent(content), longestRequest).split("\n\n## ");
  const instructions = textsOf(messages, "system").join("\n");
  return {
    instructions,
    facts: factsIn(instructions),
    request: request.replace(teamNote, ""),
    attachments: isMultiModal(content) ? content.filter(({ type }) => type !== "text") : [],
    earlier: textsOf(messages.slice(0, Math.max(0, asked)), "user").map((text) => cutText(text, longestRequest)),
    findings: [...reports.map(toFinding), ...findingsOf(messages.slice(asked + 1))],
  };
}

function textsOf(messages: readonly ChatMessage[], wanted: ChatMessage["role"]): string[] {
  return messages.filter(({ role }) => role === wanted).map(({ content }) => getTextContent(content));
}

/** Matches the text with which a team introduces the answers of its members, after the user's own words. */
const teamNote =
  /\n\n(?:These are the answers of your members:|Your members have discussed this:|You are .{1,200}, and discuss this)[\s\S]*$/;

/**
 * Reads the answer of one member from the text of the request, in which a team puts each answer under a heading. A
 * discussion has several rounds.
 */
function toFinding(report: string): Finding {
  const [heading = "", ...text] = report.split("\n\n");
  return { speaker: heading.replace(/^Round \d+: /, ""), text: text.join("\n\n") };
}

function factsIn(instructions: string): string[] {
  const block = /<user_facts>\n([\s\S]*?)\n<\/user_facts>/.exec(instructions)?.[1] ?? "";
  return block.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
}

function findingsOf(messages: readonly ChatMessage[]): Finding[] {
  const tools = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls).map(({ id, name }) => [id, name]));
  return messages
    .filter(({ role }) => role === "tool")
    .map(({ toolCallId = "", content }) => ({ ...speakerOf(tools.get(toolCallId)), text: getTextContent(content) }));
}

function speakerOf(tool = ""): Pick<Finding, "speaker"> {
  const [, speaker] = /^(?:delegate_to|ask)_(.+)$/.exec(tool) ?? [];
  return speaker === undefined ? {} : { speaker };
}
