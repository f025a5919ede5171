export { HackerNewsToolkit } from "./hackernews-toolkit.ts";
export type { HackerNewsOptions } from "./hackernews-toolkit.ts";
export type { HackerNewsStory } from "./top-stories.ts";
export type { HackerNewsUser } from "./user.ts";
