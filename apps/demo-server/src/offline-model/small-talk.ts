import { findIntroduction } from "./find-in-text.ts";
import type { Conversation } from "./conversation.ts";

/** What is answered to a clause that has the pattern. */
type Pattern = readonly [pattern: RegExp, answer: (conversation: Conversation, clause: string) => string];

/** How much of what somebody said is said back to them. */
const longestQuote = 80;

/** How far it counts. */
const highestCount = 1000;

const patterns: readonly Pattern[] = [
  [/\b(?:what(?: is|'s|’s) my name|who am I|(?:know|remember) my name)\b/i, recallName],
  [/\bwhat did I (?:say|ask|tell|write)\b|\bwhat (?:have|did) we talk/i, recallRequests],
  [/\bmy name is\b|\bcall me\b|\bI(?:['’]m| am)\b/i, (_, clause) => greetByName(clause)],
  [/\bcount (?:up )?to \d+/i, (_, clause) => count(clause)],
  [/^(?:hello|hi|hey|good (?:morning|day|evening))\b/i, () => "Hello!"],
  [/^(?:thanks|thank you)\b/i, () => "You are welcome."],
];

/** What can be said to a clause without any tool; nothing, when it has no pattern that is known. */
export function smallTalk(clause: string, conversation: Conversation): string {
  return patterns.find(([pattern]) => pattern.test(clause))?.[1](conversation, clause) ?? "";
}

function greetByName(clause: string): string {
  const name = findIntroduction(clause);
  return name === undefined ? "" : `Nice to meet you, ${name}.`;
}

function recallName({ earlier, request }: Conversation): string {
  const name = [...earlier, request].map(findIntroduction).findLast((found) => found !== undefined);
  return name === undefined ? "You have not told me your name in this session." : `Your name is ${name}.`;
}

function recallRequests({ earlier }: Conversation): string {
  if (earlier.length === 0) return "This is the first thing you say in this session.";
  const quotes = earlier.slice(-5).map((text) => JSON.stringify(text.slice(0, longestQuote)));
  return `You said: ${quotes.join(", ")}.`;
}

function count(clause: string): string {
  const last = Math.min(Number(/\d+/.exec(clause)?.[0]), highestCount);
  return Array.from({ length: last }, (_, index) => index + 1).join(" ");
}
