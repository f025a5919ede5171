export { WebSearchToolkit } from "./web-search-toolkit.ts";
export type { WebSearchOptions, WebSearchProvider } from "./web-search-toolkit.ts";
export type { WebSearchHit } from "./web-search-hit.ts";
