import type { NetworkOptions, ToolDef, ToolSource } from "@troupe/core";
import { booleanOption, baseUrlOption, optional, readOptions, customOption } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import { enabledTools, maxResultsOption, Service, toolkitChecks } from "@troupe-internal/toolkit";
import type { Access } from "./blocks.ts";
import { newsTool } from "./news.ts";
import { searchTool } from "./search.ts";

/** Options of a `DuckDuckGoToolkit`. All have defaults. */
export type DuckDuckGoOptions = NetworkOptions & {
  /** Gives the agent `duckduckgo_search`. @default true */
  enableSearch?: boolean | undefined;
  /** Gives the agent `duckduckgo_news`. @default true */
  enableNews?: boolean | undefined;
  /** Largest number of results, from 1 to 30. The model may ask for fewer. @default 10 */
  maxResults?: number | undefined;
  /** Country and language of the results, in DuckDuckGo's format: "us-en", "de-de". @default "wt-wt": no region */
  region?: string | undefined;
  /**
   * An address that replaces all three hosts of DuckDuckGo, such as the address of a gateway. @default DuckDuckGo's
   * own
   */
  baseURL?: string | undefined;
  /** Milliseconds for one call of a tool, with all its requests. @default 15_000 */
  timeoutMs?: number | undefined;
};

const regionOption = customOption<string>(
  'a region of DuckDuckGo, like "us-en"',
  (value) => typeof value === "string" && /^[a-z]{2}-[a-z]{2}$/.test(value),
);

const optionTable = {
  ...toolkitChecks,
  enableSearch: optional(booleanOption, true),
  enableNews: optional(booleanOption, true),
  maxResults: maxResultsOption(30, 10),
  region: optional(regionOption, "wt-wt"),
  baseURL: optional(baseUrlOption),
} satisfies OptionTable<DuckDuckGoOptions>;

/** Tools with which an agent searches with DuckDuckGo, without a key: `duckduckgo_search` and `duckduckgo_news`. */
export class DuckDuckGoToolkit implements ToolSource {
  readonly #tools: readonly ToolDef[];

  /** Throws `invalid_config` for a wrong or unknown option, and if every tool is disabled. Sends no request yet. */
  constructor(options: DuckDuckGoOptions = {}) {
    const owner = "DuckDuckGoToolkit";
    const read = readOptions(optionTable, options, { owner });
    const { enableSearch, enableNews, maxResults, region, baseURL, timeoutMs, ...network } = read;
    const service = new Service({ name: "DuckDuckGo", timeoutMs, network });
    const access: Access = { service, baseURL, region, maxResults, timeoutMs };
    this.#tools = enabledTools(owner, [
      { option: "enableSearch", isEnabled: enableSearch, make: () => searchTool(access) },
      { option: "enableNews", isEnabled: enableNews, make: () => newsTool(access) },
    ]);
  }

  /** Returns the enabled tools, as a new array. */
  getTools(): ToolDef[] {
    return [...this.#tools];
  }
}
