import { integerOption } from "../../base/errors/option-checks.ts";
import type { RunContext } from "../run/run-context.ts";
import { runOfContext } from "../run/derive-context.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ExecutableTool } from "../run/tool.ts";
import type { UserMemoryScope } from "./memory-options.ts";
import { factKey, factsBlock } from "./user-fact.ts";
import type { UserFact } from "./user-fact.ts";

/** Name and description of the tool that recalls facts, as the model sees them. */
export type RecallToolConfig = {
  /** The name of the tool that recalls facts. @default "recall_user_facts" */
  name?: string | undefined;
  description?: string | undefined;
};

const noUserId =
  "A tool that recalls facts about the user has no effect in this run: it has no userId. Pass userId in the options of the run.";

const checkLimit = integerOption(1);

type GetFacts = (userId: string, scope: UserMemoryScope) => Promise<UserFact[]>;

const parameters = {
  type: "object",
  properties: {
    query: { type: "string", maxLength: 1000, description: "What to know about; facts that mention it come first." },
    limit: { type: "integer", minimum: 1, maximum: 100, description: "How many facts at most; 20 without it." },
  },
  additionalProperties: false,
} as const;

/** Creates a tool with which a model reads the facts about its run's user. It cannot read facts about other users. */
export function recallTool(getFacts: GetFacts, { name, description }: RecallToolConfig = {}): ExecutableTool {
  return defineTool({
    name: name ?? "recall_user_facts",
    description: description ?? "Recalls what is known about the user from earlier conversations.",
    parameters,
    effect: "pure",
    execute: async ({ query, limit }, context) => await recall(getFacts, context, { query, limit }),
  });
}

async function recall(
  getFacts: GetFacts,
  context: RunContext,
  { query, limit = 20 }: { query?: unknown; limit?: unknown },
): Promise<string> {
  const { userId, verified, signal } = context;
  const run = runOfContext(context);
  if (userId === undefined) {
    // A run that a transport starts for a client may legitimately have no user.
    if (run?.settings.fromOutside === false) run.warn("user_id_missing", noUserId);
    return "There is no user in this run, so nothing is known about one.";
  }
  const facts = await getFacts(userId, { tenantId: run?.settings.tenantId, verified, signal });
  if (facts.length === 0) return "Nothing is known about the user yet.";
  const sorted = typeof query === "string" ? byRelevance(facts, query) : facts.toReversed();
  return factsBlock(sorted.slice(0, checkLimit(limit, "limit", {})));
}

// Sorts the facts that share most words with the query first, and newer facts before older facts.
function byRelevance(facts: readonly UserFact[], query: string): UserFact[] {
  const wanted = wordsOf(query);
  const scored = facts.map((fact, index) => {
    const shared = [...wordsOf(fact.fact)].filter((word) => wanted.has(word)).length;
    return { fact, index, shared };
  });
  return scored.toSorted((one, other) => other.shared - one.shared || other.index - one.index).map(({ fact }) => fact);
}

function wordsOf(text: string): Set<string> {
  return new Set(factKey(text).match(/[\p{L}\p{N}]+/gu));
}
