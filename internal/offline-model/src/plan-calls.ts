import type { ToolSpec } from "@troupe/core/adapter";
import type { Conversation } from "./conversation.ts";
import { findValue } from "./find-value.ts";
import type { Source } from "./find-value.ts";
import { findPlace, findTopics, scoreFor, splitClauses } from "./patterns.ts";
import type { Topic } from "./patterns.ts";
import { fieldsOf } from "./schema.ts";

/** A tool call without an id. */
export type PlannedCall = { readonly name: string; readonly arguments: Record<string, unknown> };

/** A call of a tool that fits, with the names of required arguments that the request does not hold. */
export type CallAttempt = PlannedCall & { readonly missing: readonly string[] };

/** Finds the tools that fit each clause of the request, with arguments taken from its words. */
export function planCalls(conversation: Conversation, tools: readonly ToolSpec[]): CallAttempt[] {
  const { request, instructions } = conversation;
  const attempts = splitClauses(request).flatMap((clause) =>
    toolsFor(topicsIn(clause, conversation), tools).map((tool) =>
      attempt(tool, { clause, request, answer: "", instructions }),
    ),
  );
  return [...new Map(attempts.map((call) => [JSON.stringify(call), call])).values()];
}

/** The topics of a clause. "And in Bergen?" has those of the last earlier request that had any. */
function topicsIn(clause: string, { earlier }: Conversation): Topic[] {
  const found = findTopics(clause);
  const isFollowUp = found.length === 0 && /^(?:and|what about|how about)\b/i.test(clause);
  if (!isFollowUp || findPlace(clause) === undefined) return found;
  return earlier.map(findTopics).findLast((before) => before.length > 0) ?? [];
}

/** The tool that serves each topic best. */
function toolsFor(topics: readonly Topic[], tools: readonly ToolSpec[]): ToolSpec[] {
  const chosen = topics.map((topic) => {
    const score = ({ name, description }: ToolSpec) => scoreFor(topic, name, description);
    const [best] = tools.filter((tool) => score(tool) > 0).toSorted((one, other) => score(other) - score(one));
    return best;
  });
  return [...new Set(chosen)].filter((tool) => tool !== undefined);
}

function attempt({ name, parameters }: ToolSpec, source: Source): CallAttempt {
  const args: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const field of fieldsOf(parameters)) {
    const value = findValue(field, source);
    if (value !== undefined) args[field.name] = value;
    else if (field.isRequired) missing.push(field.name);
  }
  return { name, arguments: args, missing };
}
