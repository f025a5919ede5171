import { rulesOf } from "../rule.ts";

/** Rules for the toolkits: tools that come with Troupe. */
export const toolkitRules = [
  ...rulesOf("Toolkits", {
    "toolkit.get-tools": "every toolkit returns its tools from getTools, and is a tool source",
    "toolkit.no-tools": "a toolkit whose tools are all disabled is refused at construction",
    "toolkit.max-results":
      "maxResults is the largest number of results, and the number unless the model asks for fewer",
    "toolkit.hostile-text":
      "texts of a service are plain text of bounded length, without tags, control and invisible characters, and addresses are http: or https:",
    "toolkit.errors":
      "a failed tool says what happened and what to do, in fields.problem too, and quotes nothing of the service",
    "toolkit.time-limit": "timeoutMs bounds one call of a tool with all its requests, and an abort ends it at once",
    "toolkit.credential-hidden": "a credential is in no result, error, event or log, whatever the service repeats",
    "toolkit.credential":
      "a credential is the option's, else the environment's, read at each call; without any the tool is unauthorized",
    "toolkit.redirects": "a redirect of a service is not followed",
    "toolkit.artifacts": "the hits of a search are the artifact search_hits",
    "toolkit.blank-query": "a blank query is refused before any request",
    "duckduckgo.config": "the toolkit takes enableSearch, enableNews and maxResults",
    "duckduckgo.search": "duckduckgo_search searches, without a credential",
    "duckduckgo.news": "duckduckgo_news finds news, without a credential",
    "duckduckgo.redirects": "addresses are those behind DuckDuckGo's redirects, and ads are left out",
    "duckduckgo.lite": "the search asks the lite version when the html version shows no page of results",
    "duckduckgo.no-results": "no results are reported only where DuckDuckGo says that there are none",
    "duckduckgo.blocked": "a block is reported as such, never as no results",
    "duckduckgo.unknown-page": "a page of an unknown form is an error, never no results",
    "hackernews.config": "the toolkit takes enableGetTopStories and enableGetUserDetails",
    "hackernews.top-stories": "hackernews_top_stories lists stories, without a credential",
    "hackernews.deleted-stories": "deleted, dead and missing stories are left out, and the next ones take their place",
    "hackernews.partial": "a story that cannot be loaded does not take the others with it, and the result says so",
    "hackernews.user": "hackernews_user describes a user, without a credential",
    "hackernews.user-name": "a username that is no name is refused before any request",
    "web-search.config": "the toolkit takes provider, apiKey and maxResults",
    "web-search.search": "web_search asks the chosen provider with its key, and returns hits of one form",
    "web-search.no-results": "no results are reported where the provider says that there are none",
    "web-search.errors": "each provider's errors are told apart: key, rate limit, used-up plan, request",
    "web-search.key-function": "a function as apiKey is asked at each call",
    "hackernews.no-user": "a user that does not exist is not_found",
  }),
];
