import type { NetworkOptions, ToolDef, ToolSource } from "@troupe/core";
import { baseUrlOption, oneOf, optional, readOptions, wrongOption } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import {
  Service,
  credentialOption,
  defineSearchTool,
  explainAddress,
  maxResultsOption,
  readCredential,
  toolkitChecks,
} from "@troupe-internal/toolkit";
import { brave } from "./brave.ts";
import { exa } from "./exa.ts";
import type { SearchProvider } from "./search-provider.ts";
import { serpapi } from "./serpapi.ts";
import { tavily } from "./tavily.ts";
import type { WebSearchHit } from "./web-search-hit.ts";

/** A service that a `WebSearchToolkit` can use. */
export type WebSearchProvider = "tavily" | "serpapi" | "brave" | "exa";

const providers: Readonly<Record<WebSearchProvider, SearchProvider>> = { tavily, serpapi, brave, exa };

/** Options of a `WebSearchToolkit`. All but `provider` have defaults. */
export type WebSearchOptions = NetworkOptions & {
  /** The service that searches. */
  provider: WebSearchProvider;
  /**
   * The key of the provider, or a function that returns it for each call.
   * @default `TAVILY_API_KEY`, `SERPAPI_API_KEY`, `BRAVE_API_KEY` (or `BRAVE_SEARCH_API_KEY`) or `EXA_API_KEY`, read
   * at each call
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Largest number of results, from 1 to 20 (serpapi: 10). The model may ask for fewer. @default 10 */
  maxResults?: number | undefined;
  /** The address of the provider's API. @default the provider's own */
  baseURL?: string | undefined;
  /** Milliseconds for one call of the tool. @default 15_000 */
  timeoutMs?: number | undefined;
};

const optionTable = {
  ...toolkitChecks,
  provider: oneOf("tavily", "serpapi", "brave", "exa"),
  apiKey: credentialOption,
  maxResults: maxResultsOption(20, 10),
  baseURL: optional(baseUrlOption),
} satisfies OptionTable<WebSearchOptions>;

/** The tool `web_search`, with which an agent searches the web through a paid service. */
export class WebSearchToolkit implements ToolSource {
  readonly #tools: readonly ToolDef[];

  /**
   * Throws `invalid_config` for a wrong or unknown option. If the key is missing, the tool throws when it is called.
   */
  constructor(options: WebSearchOptions) {
    const owner = "WebSearchToolkit";
    const { provider, apiKey, baseURL, ...read } = readOptions(optionTable, options, { owner });
    const { maxResults, timeoutMs, ...network } = read;
    const chosen = providers[provider];
    const { name, mostResults } = chosen;
    if (maxResults > mostResults) {
      const expected = `an integer from 1 to ${mostResults} with the provider ${JSON.stringify(provider)}`;
      throw wrongOption("maxResults", expected, maxResults);
    }
    const service = new Service({ name, timeoutMs, network });
    const search = { provider: chosen, service, apiKey, baseURL: baseURL ?? chosen.baseURL, maxResults, timeoutMs };
    this.#tools = [webSearchTool(search)];
  }

  /** Returns the tool, in a new array. */
  getTools(): ToolDef[] {
    return [...this.#tools];
  }
}

type ProviderSearch = {
  provider: SearchProvider;
  service: Service;
  apiKey: WebSearchOptions["apiKey"];
  baseURL: string;
  maxResults: number;
  timeoutMs: number;
};

function webSearchTool({ provider, apiKey, baseURL, ...search }: ProviderSearch): ToolDef {
  return defineSearchTool({
    ...search,
    name: "web_search",
    description:
      "Searches the web and returns title, address and a short extract of each page found, with its date where it is known. Pages themselves are not opened.",
    queryDescription: "Words to search for, as one would type them into a search engine.",
    hitsName: "results",
    find: async (ask, { query, count, timeRange, signal }) => {
      const { environment } = provider;
      const service = search.service.name;
      const key = await readCredential({ service, option: "apiKey", given: apiKey, environment, signal });
      const request = provider.request({ query, count, timeRange }, { baseURL, key });
      const reply = await ask({ ...request, secrets: [key] });
      return eachOnce(provider.read(reply.requireOk((failed) => provider.explain(failed) ?? explainAddress(failed))));
    },
  });
}

/** Returns the results with each address once, because a provider may repeat an address. */
function eachOnce(hits: readonly WebSearchHit[]): WebSearchHit[] {
  const byUrl = new Map<string, WebSearchHit>();
  for (const hit of hits) if (!byUrl.has(hit.url)) byUrl.set(hit.url, hit);
  return [...byUrl.values()];
}
