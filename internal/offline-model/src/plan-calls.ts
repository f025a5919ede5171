import type { ToolSpec } from "@troupe/core";
import type { Conversation } from "./conversation.ts";
import { findSpecificValue } from "./find-value.ts";
import type { Source } from "./find-value.ts";
import { findExpression, findPlace, isAsking, isStatement, splitClauses } from "./patterns.ts";
import { rateTool } from "./rate-tool.ts";
import { fieldsOf } from "./schema.ts";
import { valueFromSchema } from "./value-from-schema.ts";
import { findWords, isRelated } from "./words.ts";

/** A tool call that the offline model plans, without an id. */
export type PlannedCall = { readonly name: string; readonly arguments: Record<string, unknown> };

/**
 * A planned call of a tool that matches a clause, and the names of the required arguments for which the user's request
 * has no value.
 */
export type CallAttempt = PlannedCall & { readonly missing: readonly string[] };

/** Largest number of tool calls per clause of a request, so that a long sentence does not call all tools. */
const mostCalls = 3;
/** The lowest score of a tool that matches: the score of one word related to the tool's description. */
const fitting = 1.5;
/** The lowest score at which the model asks for a tool's missing argument: the score of one word of the tool's name. */
const certain = 2.5;

/** Finds the matching tools for each clause of the request, with arguments taken from the words of the clause. */
export function planCalls(conversation: Conversation, tools: readonly ToolSpec[]): CallAttempt[] {
  const { request, instructions } = conversation;
  const attempts = splitClauses(request).flatMap((clause) => {
    const source = { clause, request, answer: "", instructions, isForTool: true };
    return toolsFor(source, conversation, tools).flatMap(({ tool, score }) => {
      const call = attempt(tool, source);
      return call.missing.length === 0 || score >= certain ? [call] : [];
    });
  });
  return [...new Map(attempts.map((call) => [JSON.stringify(call), call])).values()];
}

type Rated = { readonly tool: ToolSpec; readonly score: number };

/**
 * Returns the tools that match a clause best. Each tool must match words that earlier tools did not match. If no tool
 * matches, a question gets a search tool.
 */
function toolsFor(source: Source, conversation: Conversation, tools: readonly ToolSpec[]): Rated[] {
  const { clause } = source;
  if (isStatement(clause) && findExpression(clause) === undefined) return [];
  const chosen: Rated[] = [];
  let words = wordsIn(clause, conversation, tools);
  while (chosen.length < mostCalls) {
    const rated = tools
      .filter((tool) => chosen.every((before) => before.tool !== tool))
      .map((tool) => ({ tool, score: rateTool(tool, words) + (chosen.length === 0 ? evidenceOf(tool, source) : 0) }));
    const best = rated.toSorted((one, other) => other.score - one.score)[0];
    if (best === undefined || best.score < fitting) break;
    chosen.push(best);
    words = words.filter((word) => rateTool(best.tool, [word]) === 0);
  }
  return chosen.length > 0 ? chosen : searchFor(clause, tools);
}

/**
 * Returns the words of a clause. A clause such as "And in Bergen?" gets the words of the last earlier request that
 * matched a tool.
 */
function wordsIn(clause: string, { earlier }: Conversation, tools: readonly ToolSpec[]): string[] {
  const words = findWords(clause);
  const isFollowUp = /^(?:and|what about|how about)\b/i.test(clause) && findPlace(clause) !== undefined;
  if (!isFollowUp || tools.some((tool) => rateTool(tool, words) >= fitting)) return words;
  const before = earlier.map(findWords).findLast((said) => tools.some((tool) => rateTool(tool, said) >= fitting));
  return before ?? words;
}

/** Returns a search tool, which accepts any question, for a question that matches no tool by its words. */
function searchFor(clause: string, tools: readonly ToolSpec[]): Rated[] {
  if (!isAsking(clause) || findWords(clause).length === 0) return [];
  const tool = tools.find(({ name, description, parameters }) => {
    const takesQuestion = fieldsOf(parameters).some(
      (field) => field.isRequired && /^(?:query|question|q)$/i.test(field.name),
    );
    return takesQuestion && isRelated("search", new Set(findWords(`${name} ${description}`)));
  });
  return tool === undefined ? [] : [{ tool, score: fitting }];
}

/**
 * Rates how well a clause fits the arguments of a tool. An arithmetic expression alone suggests a tool with an argument
 * `expression` or `formula`. A question suggests a tool if it contains a value of the right form, such as a place, for
 * each required argument.
 */
function evidenceOf({ parameters }: ToolSpec, source: Source): number {
  const required = fieldsOf(parameters).filter((field) => field.isRequired);
  const found = required.filter((field) => findSpecificValue(field, source) !== undefined);
  if (found.some(({ name }) => /expression|formula/i.test(name))) return certain + 1;
  const isComplete = found.length > 0 && found.length === required.length;
  return isComplete ? (isAsking(source.clause) ? fitting : 0.5) : 0;
}

function attempt({ name, parameters }: ToolSpec, source: Source): CallAttempt {
  const missing: string[] = [];
  const args = valueFromSchema(parameters, source, { invented: missing }) as Record<string, unknown>;
  return missing.length === 0 ? { name, arguments: args, missing } : { name, arguments: {}, missing };
}
