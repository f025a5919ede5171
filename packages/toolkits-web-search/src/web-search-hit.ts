/** A result of a web search, in the same form for every provider, for the model and as an artifact. */
export type WebSearchHit = {
  title: string;
  url: string;
  snippet: string;
  /** The date of the page as `YYYY-MM-DD`, or in the provider's own words: "2 days ago". */
  date?: string;
  /** The provider's own relevance score, if it has one; higher is better. */
  score?: number;
};
