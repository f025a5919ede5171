import { cutText } from "@troupe/core/kit";
import { getTextContent, isMultiModal } from "@troupe/core";
import type { ChatMessage, ContentPart } from "@troupe/core";

/** A result to answer with. `speaker` names the agent or team member that gave it; results of other tools have none. */
type Finding = { readonly speaker?: string; readonly text: string };

/** The parts of a conversation that this model uses. */
export type Conversation = {
  /** The system messages. */
  readonly instructions: string;
  /** The last text of the user. */
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

/** The rest of a longer request is ignored: some patterns take quadratic time. */
const longestRequest = 4000;

/** Reads the messages. */
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

/** The sentence by which a team introduces the answers of its members, behind the user's own words. */
const teamNote =
  /\n\n(?:These are the answers of your members:|Your members have discussed this:|You are .{1,200}, and discuss this)[\s\S]*$/;

/** Reads one member's answer. A team adds the answers to the request, each under a heading, and a discussion has several rounds. */
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
