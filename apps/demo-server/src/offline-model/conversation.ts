import { getTextContent, isMultiModal } from "@troupe/core";
import type { ChatMessage, ContentPart } from "@troupe/core";

/** Something that was found out for the answer; `speaker` is who says so, when it is somebody and no mere tool. */
export type Finding = { readonly speaker?: string; readonly text: string };

/** A conversation as far as this model can follow one. */
export type Conversation = {
  /** What the model was told to be. */
  readonly instructions: string;
  /** What the user said last. */
  readonly request: string;
  /** What the user sent along with it. */
  readonly attachments: readonly ContentPart[];
  /** What the user said before, oldest first. */
  readonly earlier: readonly string[];
  /** What has been found since. */
  readonly findings: readonly Finding[];
};

/** Who asks for more than this gets an answer to its beginning: looking for patterns in it all would take long. */
const longestRequest = 4000;

/** Reads the messages. */
export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[asked]?.content ?? null;
  const [request = "", ...reports] = getTextContent(content).slice(0, longestRequest).split("\n\n## ");
  return {
    instructions: textsOf(messages, "system").join("\n"),
    request,
    attachments: isMultiModal(content) ? content.filter(({ type }) => type !== "text") : [],
    earlier: textsOf(messages.slice(0, Math.max(0, asked)), "user").map((text) => text.slice(0, longestRequest)),
    findings: [...reports.map(toFinding), ...findingsOf(messages.slice(asked + 1))],
  };
}

function textsOf(messages: readonly ChatMessage[], wanted: ChatMessage["role"]): string[] {
  return messages.filter(({ role }) => role === wanted).map(({ content }) => getTextContent(content));
}

/** Where several have been asked, what they said stands behind the request, each under a heading. */
function toFinding(report: string): Finding {
  const [speaker = "", ...text] = report.split("\n\n");
  return { speaker, text: text.join("\n\n") };
}

function findingsOf(messages: readonly ChatMessage[]): Finding[] {
  const tools = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls).map(({ id, name }) => [id, name]));
  return messages
    .filter(({ role }) => role === "tool")
    .map(({ toolCallId = "", content }) => ({ ...speakerOf(tools.get(toolCallId)), text: getTextContent(content) }));
}

/** Tools that are members of a team, or other agents, are named for them. */
function speakerOf(tool = ""): Pick<Finding, "speaker"> {
  const [, speaker] = /^(?:delegate_to|ask)_(.+)$/.exec(tool) ?? [];
  return speaker === undefined ? {} : { speaker };
}
