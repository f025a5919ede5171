import type { NetworkOptions, ToolDef, ToolSource } from "@troupe/core";
import { booleanOption, baseUrlOption, optional, readOptions } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import { enabledTools, maxResultsOption, Service, toolkitChecks } from "@troupe-internal/toolkit";
import { topStoriesTool } from "./top-stories.ts";
import { userTool } from "./user.ts";

/** Options of a `HackerNewsToolkit`. All have defaults. */
export type HackerNewsOptions = NetworkOptions & {
  /** Gives the agent `hackernews_top_stories`. @default true */
  enableGetTopStories?: boolean | undefined;
  /** Gives the agent `hackernews_user`. @default true */
  enableGetUserDetails?: boolean | undefined;
  /** Largest number of stories, from 1 to 50. The model may ask for fewer. @default 10 */
  maxResults?: number | undefined;
  /** The address of the API. @default "https://hacker-news.firebaseio.com" */
  baseURL?: string | undefined;
  /** Milliseconds for one call of a tool, with all its requests. @default 15_000 */
  timeoutMs?: number | undefined;
};

const optionTable = {
  ...toolkitChecks,
  enableGetTopStories: optional(booleanOption, true),
  enableGetUserDetails: optional(booleanOption, true),
  maxResults: maxResultsOption(50, 10),
  baseURL: optional(baseUrlOption, "https://hacker-news.firebaseio.com"),
} satisfies OptionTable<HackerNewsOptions>;

/** Tools with which an agent reads Hacker News, without a key: `hackernews_top_stories` and `hackernews_user`. */
export class HackerNewsToolkit implements ToolSource {
  readonly #tools: readonly ToolDef[];

  /** Throws `invalid_config` for a wrong or unknown option, and if every tool is disabled. Sends no request yet. */
  constructor(options: HackerNewsOptions = {}) {
    const owner = "HackerNewsToolkit";
    const { enableGetTopStories, enableGetUserDetails, maxResults, baseURL, timeoutMs, ...network } = readOptions(
      optionTable,
      options,
      { owner },
    );
    const service = new Service({ name: "Hacker News", timeoutMs, network });
    const access = { service, baseURL, timeoutMs };
    this.#tools = enabledTools(owner, [
      {
        option: "enableGetTopStories",
        isEnabled: enableGetTopStories,
        make: () => topStoriesTool({ ...access, maxResults }),
      },
      { option: "enableGetUserDetails", isEnabled: enableGetUserDetails, make: () => userTool(access) },
    ]);
  }

  /** Returns the enabled tools, as a new array. */
  getTools(): ToolDef[] {
    return [...this.#tools];
  }
}
