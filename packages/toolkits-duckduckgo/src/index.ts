export { DuckDuckGoToolkit } from "./duckduckgo-toolkit.ts";
export type { DuckDuckGoOptions } from "./duckduckgo-toolkit.ts";
export type { DuckDuckGoArticle, DuckDuckGoHit } from "./hits.ts";
