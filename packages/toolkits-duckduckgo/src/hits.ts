/** A hit of DuckDuckGo's web search, as the tool gives it to the model and as an artifact. */
export type DuckDuckGoHit = { title: string; url: string; snippet: string };

/** An article of DuckDuckGo's news search, as the tool gives it to the model and as an artifact. */
export type DuckDuckGoArticle = {
  title: string;
  url: string;
  snippet: string;
  /** ISO time at which it was published. */
  date?: string;
  /** Name of the newspaper or site. */
  source?: string;
};
