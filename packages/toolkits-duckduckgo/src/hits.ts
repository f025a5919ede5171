/** A result of DuckDuckGo's web search, for the model and as an artifact. */
export type DuckDuckGoHit = { title: string; url: string; snippet: string };

/** An article of DuckDuckGo's news search, for the model and as an artifact. */
export type DuckDuckGoArticle = {
  title: string;
  url: string;
  snippet: string;
  /** The ISO time at which the article was published. */
  date?: string;
  /** The name of the newspaper or site. */
  source?: string;
};
