export { DuckDuckGoToolkit } from "./duckduckgo-toolkit.ts";
export type { DuckDuckGoOptions } from "./duckduckgo-toolkit.ts";
export type { DuckDuckGoArticle } from "./news.ts";
export type { DuckDuckGoHit } from "./results-page.ts";
