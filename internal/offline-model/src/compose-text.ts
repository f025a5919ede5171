import type { ContentPart } from "@troupe/core";
import { cutText, readContentData } from "@troupe/core/kit";
import type { ToolSpec } from "@troupe/core";
import type { Conversation } from "./conversation.ts";
import { findIntroduction, splitClauses } from "./patterns.ts";
import type { CallAttempt } from "./plan-calls.ts";
import { quoteResult } from "./quote-results.ts";

const unknownRequest =
  "I am the demo's offline model: I match words and understand nothing. I can remember your name, count, and use my tools. Start the server with a vendor's API key to talk to a language model.";

/**
 * Writes the offline model's answer: small talk, attachments, results of tools and members, and questions for missing
 * arguments. Without any of these, says that it understands nothing.
 */
export function composeText(
  conversation: Conversation,
  attempts: readonly CallAttempt[],
  tools: readonly ToolSpec[],
): string {
  const { request, findings, attachments } = conversation;
  const parts = [
    ...splitClauses(request).map((clause) => smallTalk(clause, conversation)),
    describeAttachments(attachments),
    ...describeFindings(conversation),
    ...(findings.length > 0 ? [] : attempts.map(askForMissing)),
  ];
  const text = parts.filter((part) => part !== "").join(" ");
  return text === "" ? `${unknownRequest}${listTools(tools)}` : text;
}

const longestQuote = 80;
const highestCount = 1000;

type SmallTalk = readonly [pattern: RegExp, answer: (conversation: Conversation, clause: string) => string];

const smallTalks: readonly SmallTalk[] = [
  [/\b(?:what(?: is|'s|’s) my name|(?:know|remember) my name)\b/i, recallName],
  [/\bwhat did I (?:say|ask|tell|write)\b|\bwhat (?:have|did) we talk/i, recallRequests],
  [/\b(?:know|remember|recall|remembered|learned) about me\b|\bwho am I\b/i, recallFacts],
  [/\bmy name is\b|\bcall me\b|\bI(?:['’]m| am)\b/i, (_, clause) => greetByName(clause)],
  [/\bcount (?:up )?to \d+/i, (_, clause) => countTo(clause)],
  [/^(?:hello|hi|hey|good (?:morning|day|evening))\b/i, () => "Hello!"],
  [/^(?:thanks|thank you)\b/i, () => "You are welcome."],
];

/** Answers small talk in a clause of the request. Returns an empty string if no pattern matches. */
function smallTalk(clause: string, conversation: Conversation): string {
  return smallTalks.find(([pattern]) => pattern.test(clause))?.[1](conversation, clause) ?? "";
}

function greetByName(clause: string): string {
  const name = findIntroduction(clause);
  return name === undefined ? "" : `Nice to meet you, ${name}.`;
}

function recallName({ earlier, request, facts }: Conversation): string {
  const name = [...earlier, request].map(findIntroduction).findLast((found) => found !== undefined);
  const known =
    name ?? facts.map((fact) => /^Is called (.+?)\.?$/.exec(fact)?.[1]).find((found) => found !== undefined);
  return known === undefined ? "You have not told me your name in this session." : `Your name is ${known}.`;
}

/**
 * Answers with the facts about the user that a memory has added to the instructions, or with a sentence that there are
 * none.
 */
function recallFacts(conversation: Conversation): string {
  const { facts } = conversation;
  if (facts.length === 0) return `I have noted nothing about you yet. ${recallName(conversation)}`;
  return `This is noted about you: ${facts.map((fact) => fact.replace(/\.$/, "")).join("; ")}.`;
}

function recallRequests({ earlier }: Conversation): string {
  if (earlier.length === 0) return "This is your first message in this session.";
  const quotes = earlier.slice(-5).map((text) => JSON.stringify(cutText(text, longestQuote)));
  return `You said: ${quotes.join(", ")}.`;
}

function countTo(clause: string): string {
  const last = Math.min(Number(/\d+/.exec(clause)?.[0]), highestCount);
  return Array.from({ length: last }, (_, index) => index + 1).join(" ");
}

type Attachment = Exclude<ContentPart, { type: "text" }>;

function describeAttachments(parts: readonly ContentPart[]): string {
  const attachments = parts.filter((part) => part.type !== "text").map(describeAttachment);
  return attachments.length === 0 ? "" : `I received ${attachments.join(", ")}. I cannot read attachments.`;
}

function describeAttachment(part: Attachment): string {
  const name = part.type === "file" && part.filename !== undefined ? ` named ${JSON.stringify(part.filename)}` : "";
  const article = part.type === "file" ? "a" : "an";
  return `${article} ${part.type}${name} (${describeData(part)})`;
}

function describeData(part: Attachment): string {
  const data = readContentData(part);
  if (data.kind === "invalid") return `its data ${data.reason}`;
  const mimeType = data.mimeType ?? "of unknown type";
  if (data.kind === "url") return `${mimeType}, at ${data.url}`;
  return `${mimeType}, ${Buffer.from(data.base64, "base64").length} bytes`;
}

/**
 * Describes the results of tools and members. Leaves out repetitions, and members without an answer if other members
 * have answered.
 */
function describeFindings({ request, findings }: Conversation): string[] {
  const telling = findings.filter(({ text }) => !text.startsWith(unknownRequest.slice(0, 30)));
  const described = (telling.length > 0 ? telling : findings.slice(0, 1)).map(({ speaker, text }) => {
    const quoted = quoteResult(text, request);
    return speaker === undefined || telling.length === 0 ? quoted : `The ${speaker} says: ${quoted}`;
  });
  return [...new Set(described)];
}

function askForMissing({ name, missing }: CallAttempt): string {
  return missing.length === 0 ? "" : `To use ${name}, I need its ${missing.join(" and ")}.`;
}

function listTools(tools: readonly ToolSpec[]): string {
  return tools.length === 0 ? "" : ` My tools are ${tools.map(({ name }) => name).join(", ")}.`;
}
