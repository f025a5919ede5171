import { TroupeError } from "../base/errors/troupe-error.ts";
import { booleanOption, stringOption, integerOption, optional, customOption } from "../base/errors/option-checks.ts";
import { readOptions } from "../base/errors/read-options.ts";
import type { OptionTable } from "../base/errors/read-options.ts";
import type { Telemetry } from "../base/telemetry/telemetry.ts";
import { isRecord } from "../base/util/is-record.ts";
import type { RunContext } from "../agents/run/run-context.ts";
import { runOfContext, telemetryOf } from "../agents/run/derive-context.ts";
import { citesSources } from "../agents/tool/citing-tool.ts";
import { defineTool } from "../agents/tool/define-tool.ts";
import type { ExecutableTool } from "../agents/run/tool.ts";
import { checkSearchOptions } from "./vector/read-search-options.ts";
import type { KnowledgeSearchResult } from "./join-results.ts";
import type { VectorSearchOptions } from "./vector/vector-store.ts";
import type { KnowledgeCallOptions } from "./knowledge-call-options.ts";
import { toNumberedText, toSources } from "./passages.ts";
import { cutText } from "../base/util/cut-text.ts";

/**
 * The filter of a search tool: values of metadata, or a function of the run's context that returns them, such as
 * `(context) => ({ owner: context.userId ?? null })`. A call fails if the function throws or returns no object.
 */
type SearchToolFilter =
  | Record<string, unknown>
  | ((context: RunContext) => Record<string, unknown> | Promise<Record<string, unknown>>);

/** Options of a tool that searches a knowledge base. The model cannot set `minScore` or `filter`. */
export type SearchToolConfig = {
  /** The tool's name. @default `search_` followed by the name of the knowledge base */
  name?: string | undefined;
  description?: string | undefined;
  /** The maximum number of documents, unless the model asks for another number. @default 5 */
  topK?: number | undefined;
  minScore?: number | undefined;
  /** Keeps documents whose metadata has these values: an object, or a function of the run's context. */
  filter?: SearchToolFilter | undefined;
  /**
   * Instructs the model to cite the passages by their numbers, and checks the numbers in every answer of the agent.
   * @default false
   */
  cite?: boolean | undefined;
};

const optionTable = {
  name: optional(stringOption),
  description: optional(stringOption),
  topK: optional(integerOption(1), 5),
  minScore: optional(customOption<number>("a number", (value) => typeof value === "number")),
  filter: optional(
    customOption<SearchToolFilter>(
      "an object or a function",
      (value) => typeof value === "function" || isRecord(value),
    ),
  ),
  cite: optional(booleanOption, false),
} satisfies OptionTable<SearchToolConfig>;

/**
 * The part of a knowledge base that `createSearchTool` needs: its name, its search, and the vendor of its embeddings.
 */
export type SearchableKnowledge = {
  readonly name: string;
  /** The vendor whose API key the search needs. */
  readonly providerId: string | undefined;
  /** @param telemetry records the search as a part of the run that makes it */
  search(
    query: string,
    options: VectorSearchOptions & KnowledgeCallOptions,
    telemetry: Telemetry | undefined,
  ): Promise<KnowledgeSearchResult[]>;
};

/** The maximum number of documents that a model may ask for, unless `topK` of the tool is larger. */
const maxResults = 20;
const maxNameLength = 64;

const citeSentence =
  " Cite the passages that you use by their numbers in brackets, such as [1] or [2], directly after each statement. Never cite another number.";

/**
 * Creates the tool with which a model searches a knowledge base. The model gets the texts of the results with numbers;
 * the run gets them as sources, in the order of these numbers.
 */
export function createSearchTool(knowledge: SearchableKnowledge, config: SearchToolConfig = {}): ExecutableTool {
  const { name, description, filter, cite, ...search } = readOptions(optionTable, config, { owner: "a search tool" });
  const { topK } = search;
  const fixed = typeof filter === "function" ? {} : { filter };
  const bounds = checkSearchOptions({ ...search, ...fixed });
  const definition = {
    name: name ?? toToolName(knowledge.name),
    description: (description ?? describe(knowledge.name)) + (cite ? citeSentence : ""),
    parameters: parametersOf(topK),
    effect: "pure" as const,
    async execute(args: Record<string, unknown>, context: RunContext) {
      const wanted = typeof args["topK"] === "number" ? args["topK"] : topK;
      const own = typeof filter === "function" && { filter: await filterOf(filter, context) };
      const options = { ...bounds, ...own, topK: wanted, ...callOf(knowledge, context) };
      const found = await knowledge.search(String(args["query"]), options, telemetryOf(context));
      const sources = toSources(found, knowledge.name, context.toolCallId);
      return { content: toNumberedText(found, numbersOf(sources, context), { cite }), sources };
    },
  };
  const marked = { ...definition, ...(cite && { [citesSources]: true }) };
  return defineTool(marked);
}

/** Returns the filter for the caller of a tool. Without the filter, a search would find other users' documents. */
async function filterOf(
  filter: Extract<SearchToolFilter, (...args: never) => unknown>,
  context: RunContext,
): Promise<Record<string, unknown>> {
  const own: unknown = await filter(context);
  if (isRecord(own)) return own;
  throw new TroupeError("invalid_value", "The function `filter` of a search tool must return an object.");
}

/** Adds the sources to the run, and returns the numbers that they have in the run. */
function numbersOf(sources: ReturnType<typeof toSources>, context: RunContext): number[] {
  const run = runOfContext(context);
  if (run === undefined) return sources.map((_, index) => index + 1);
  run.citesSources = true;
  // Every source has an id, so `passOnSources` returns a number for it.
  return run.passOnSources(sources).map((number) => number ?? 0);
}

function callOf({ providerId }: SearchableKnowledge, context: RunContext): KnowledgeCallOptions {
  const apiKey = runOfContext(context)?.keyFor(providerId);
  return { signal: context.signal, ...(apiKey !== undefined && { apiKey }) };
}

function toToolName(name: string): string {
  return cutText(`search_${name.replace(/[^\w-]/gu, "_")}`, maxNameLength);
}

function describe(name: string): string {
  return `Searches the knowledge base ${JSON.stringify(name)} and returns numbered passages that fit the query.`;
}

function parametersOf(topK: number) {
  return {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, description: "What to look for, in plain words." },
      topK: {
        type: "integer",
        minimum: 1,
        maximum: Math.max(topK, maxResults),
        description: `How many documents to find at most; ${topK} unless given.`,
      },
    },
    required: ["query"],
    additionalProperties: false,
  };
}
