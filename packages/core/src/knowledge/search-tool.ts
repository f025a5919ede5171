import { stringOption, integerOption, optional, satisfying } from "../base/errors/option-checks.ts";
import { readOptions } from "../base/errors/read-options.ts";
import type { OptionTable } from "../base/errors/read-options.ts";
import type { Telemetry } from "../base/telemetry/telemetry.ts";
import { isRecord } from "../base/util/is-record.ts";
import type { RunContext } from "../agents/run/run-context.ts";
import { runOf, telemetryOf } from "../agents/run/derive-context.ts";
import { defineTool } from "../agents/tool/define-tool.ts";
import type { ExecutableTool } from "../agents/run/tool.ts";
import { checkSearchOptions } from "./vector/read-search-options.ts";
import type { VectorSearchOptions, VectorSearchResult } from "./vector/vector-store.ts";
import type { KnowledgeCallOptions } from "./knowledge-call-options.ts";
import { readPiece } from "./pieces.ts";
import { cutText } from "../base/util/cut-text.ts";

/** Options of a tool that searches a knowledge base. The model cannot set `minScore` or `filter`. */
export type SearchToolConfig = {
  /** The tool's name. @default `search_` followed by the name of the knowledge base */
  name?: string | undefined;
  description?: string | undefined;
  /** The maximum number of documents, unless the model asks for another number. @default 5 */
  topK?: number | undefined;
  minScore?: number | undefined;
  filter?: Record<string, unknown> | undefined;
};

const optionTable = {
  name: optional(stringOption),
  description: optional(stringOption),
  topK: optional(integerOption(1), 5),
  minScore: optional(satisfying<number>("a number", (value) => typeof value === "number")),
  filter: optional(satisfying<Record<string, unknown>>("an object", isRecord)),
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
  ): Promise<VectorSearchResult[]>;
};

/** The maximum number of documents that a model may ask for, unless `topK` of the tool is larger. */
const maxResults = 20;
const maxNameLength = 64;

/**
 * Creates the tool with which a model searches a knowledge base. It returns the texts and scores of the results, each
 * with its document's id; a piece of a long document also has its position.
 */
export function createSearchTool(knowledge: SearchableKnowledge, config: SearchToolConfig = {}): ExecutableTool {
  const { name, description, ...search } = readOptions(optionTable, config, { owner: "a search tool" });
  const { topK } = search;
  const bounds = checkSearchOptions(search);
  return defineTool({
    name: name ?? toToolName(knowledge.name),
    description: description ?? describe(knowledge.name),
    parameters: parametersOf(topK),
    effect: "pure",
    async execute(args, context) {
      const wanted = typeof args["topK"] === "number" ? args["topK"] : topK;
      const options = { ...bounds, topK: wanted, ...callOf(knowledge, context) };
      return toText(await knowledge.search(String(args["query"]), options, telemetryOf(context)));
    },
  });
}

function callOf({ providerId }: SearchableKnowledge, context: RunContext): KnowledgeCallOptions {
  const apiKey = runOf(context)?.keyFor(providerId);
  return { signal: context.signal, ...(apiKey !== undefined && { apiKey }) };
}

function toToolName(name: string): string {
  return cutText(`search_${name.replace(/[^\w-]/gu, "_")}`, maxNameLength);
}

function describe(name: string): string {
  return `Searches the knowledge base ${JSON.stringify(name)} and gives the documents that are nearest in meaning to the query.`;
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

function toText(found: readonly VectorSearchResult[]): string {
  if (found.length === 0) return "No documents were found.";
  return found.map(toBlock).join("\n\n");
}

// The text and the id of a document are escaped, so that it cannot end its own block and begin another.
function toBlock({ document, score }: VectorSearchResult): string {
  const text = document.content.replace(/<(?=\/?document\b)/gi, "&lt;");
  const piece = readPiece(document);
  const shownId = JSON.stringify(piece?.documentId ?? document.id).replaceAll("<", "\\u003c");
  const place = piece === undefined ? "" : ` start="${piece.start}" end="${piece.end}"`;
  return `<document id=${shownId}${place} score="${score.toFixed(3)}">\n${text}\n</document>`;
}
