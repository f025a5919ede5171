export { HackerNewsToolkit } from "./hackernews-toolkit.ts";
export type { HackerNewsOptions } from "./hackernews-toolkit.ts";
export type { HackerNewsStory, HackerNewsUser } from "./results.ts";
