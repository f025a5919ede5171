import type { ToolSpec } from "@troupe/core/adapter";
import { clausesOf } from "./clauses.ts";
import type { Conversation, Finding } from "./conversation.ts";
import { describeAttachments } from "./describe-attachments.ts";
import type { CallAttempt } from "./plan-calls.ts";
import { smallTalk } from "./small-talk.ts";

/** Whoever asks what this is, and whoever asks something else, is told the truth. */
const confession =
  "I am the demo's offline model: I follow a few patterns and understand nothing. I remember a name, count, do what my tools can do, and say so when I cannot. Give the server a vendor's key to talk to a language model.";

/** The answer in words: what can be said at once, and then what was found. */
export function composeText(
  conversation: Conversation,
  attempts: readonly CallAttempt[],
  tools: readonly ToolSpec[],
): string {
  const { request, findings, attachments } = conversation;
  const parts = [
    ...clausesOf(request).map((clause) => smallTalk(clause, conversation)),
    describeAttachments(attachments),
    ...findings.map(tell),
    umbrellaAdvice(conversation),
    ...(findings.length > 0 ? [] : attempts.map(whatIsMissing)),
  ];
  const text = parts.filter((part) => part !== "").join(" ");
  return text === "" ? `${confession}${listTools(tools)}` : text;
}

function tell({ speaker, text }: Finding): string {
  return speaker === undefined ? text : `The ${speaker} says: ${text}`;
}

/** Unless somebody has given it already. */
function umbrellaAdvice({ request, findings }: Conversation): string {
  const found = findings.map(({ text }) => text).join(" ");
  if (!/umbrella/i.test(request) || /umbrella/i.test(found)) return "";
  if (/\b(?:rain|snow)/i.test(found)) return "Take an umbrella.";
  return /\b(?:sun|cloud)/i.test(found) ? "You need no umbrella." : "";
}

function whatIsMissing({ name, missing }: CallAttempt): string {
  return missing.length === 0 ? "" : `To use ${name} I need to be told its ${missing.join(" and ")}.`;
}

function listTools(tools: readonly ToolSpec[]): string {
  return tools.length === 0 ? "" : ` My tools are ${tools.map(({ name }) => name).join(", ")}.`;
}
