import type { RunnableInfo, RunnableKind } from "@troupe-internal/client";
import { readFields, toQuestionText } from "../api/workflow-input.ts";
import { matchWords } from "../ui/match-words.ts";
import type { WorkflowFields } from "../api/workflow-input.ts";
import { strings } from "../strings/strings.ts";

/** The kinds of runnables with their headings, in display order. */
const kinds: readonly { readonly kind: RunnableKind; readonly heading: string }[] = [
  { kind: "agent", heading: strings.common.agents },
  { kind: "team", heading: strings.common.teams },
  { kind: "workflow", heading: strings.common.workflows },
];

/** The runnables of one kind, with a heading. */
export type RunnableGroup = { readonly heading: string; readonly members: readonly RunnableInfo[] };

/** Returns the runnables that the host shows, in its order; all if it has not chosen. */
export function shownOf(runnables: readonly RunnableInfo[], names?: readonly string[]): readonly RunnableInfo[] {
  return names?.flatMap((name) => runnables.filter((each) => each.name === name)) ?? runnables;
}

/**
 * Returns the runnables whose name or description has each word of the query, in groups by kind. Groups without a match
 * are omitted.
 */
export function findRunnables(runnables: readonly RunnableInfo[], query: string): RunnableGroup[] {
  const matches = matchWords(query);
  const found = runnables.filter(({ name, description = "" }) => matches(`${name} ${description}`));
  return kinds
    .map(({ kind, heading }) => ({ heading, members: found.filter((each) => each.kind === kind) }))
    .filter(({ members }) => members.length > 0);
}

/**
 * A suggested question, and the runnable that it is for. If the suggestion has `fields` of a workflow, the text lists
 * them, one per line.
 */
export type Suggestion = {
  readonly text: string;
  readonly runnable: RunnableInfo;
  readonly fields?: WorkflowFields;
};

/** Most suggestions that are shown at once. */
const mostSuggestions = 4;

/**
 * Returns the suggestions for a chat that has not begun: the suggestions of the chosen runnable and, if these are too
 * few, the first suggestion of each other runnable.
 */
export function suggestionsFor(
  chosen: RunnableInfo | undefined,
  runnables: readonly RunnableInfo[],
  suggestions: Readonly<Record<string, readonly string[]>>,
): Suggestion[] {
  const textsOf = ({ name }: RunnableInfo) => (Object.hasOwn(suggestions, name) ? (suggestions[name] ?? []) : []);
  const own = chosen === undefined ? [] : textsOf(chosen).map((text) => toSuggestion(text, chosen));
  const others = runnables
    .filter((each) => each !== chosen && each.kind !== "workflow")
    .flatMap((runnable) =>
      textsOf(runnable)
        .slice(0, 1)
        .map((text) => ({ text, runnable })),
    );
  const texts = new Set<string>();
  const isNew = ({ text }: Suggestion) => !texts.has(text) && texts.add(text).size > 0;
  return [...own, ...others].filter(isNew).slice(0, mostSuggestions);
}

function toSuggestion(text: string, runnable: RunnableInfo): Suggestion {
  const fields = runnable.kind === "workflow" ? readFields(text) : undefined;
  return fields === undefined ? { text, runnable } : { text: toQuestionText(fields), runnable, fields };
}
