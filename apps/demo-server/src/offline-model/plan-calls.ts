import type { ToolSpec } from "@troupe/core/adapter";
import { clausesOf } from "./clauses.ts";
import type { Conversation } from "./conversation.ts";
import { findPlace } from "./find-in-text.ts";
import { findValue } from "./find-value.ts";
import type { Reading } from "./reading.ts";
import type { PlannedCall } from "./reply.ts";
import { fieldsOf } from "./schema.ts";
import { serves, topicsOf } from "./topics.ts";
import type { Topic } from "./topics.ts";

/** A call of a tool that fits, and what it would need and the words do not hold. */
export type CallAttempt = PlannedCall & { readonly missing: readonly string[] };

/** Finds the tools that fit what is asked, question by question, with arguments out of the words. */
export function planCalls(conversation: Conversation, tools: readonly ToolSpec[]): CallAttempt[] {
  const { request, instructions } = conversation;
  const attempts = clausesOf(request).flatMap((clause) =>
    toolsFor(topicsIn(clause, conversation), tools).map((tool) =>
      attempt(tool, { clause, request, known: "", instructions }),
    ),
  );
  // What is asked twice is looked up once.
  return [...new Map(attempts.map((call) => [JSON.stringify(call), call])).values()];
}

/** "And in Bergen?" asks for what was asked for before. */
function topicsIn(clause: string, { earlier }: Conversation): Topic[] {
  const topics = topicsOf(clause);
  const isFurther = topics.length === 0 && /^(?:and|what about|how about)\b/i.test(clause);
  if (!isFurther || findPlace(clause) === undefined) return topics;
  return earlier.map(topicsOf).findLast((before) => before.length > 0) ?? [];
}

/** For each topic the tool that serves it best. */
function toolsFor(topics: readonly Topic[], tools: readonly ToolSpec[]): ToolSpec[] {
  const chosen = topics.map((topic) => {
    const score = ({ name, description }: ToolSpec) => serves(topic, name, description);
    const [best] = tools.filter((tool) => score(tool) > 0).toSorted((one, other) => score(other) - score(one));
    return best;
  });
  return [...new Set(chosen)].filter((tool) => tool !== undefined);
}

function attempt({ name, parameters }: ToolSpec, reading: Reading): CallAttempt {
  const args: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const field of fieldsOf(parameters)) {
    const value = findValue(field, reading);
    if (value !== undefined) args[field.name] = value;
    else if (field.isRequired) missing.push(field.name);
  }
  return { name, arguments: args, missing };
}
