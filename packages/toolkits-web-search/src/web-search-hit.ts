/** A hit of a web search, of the same form whichever provider found it; for the model and as an artifact. */
export type WebSearchHit = {
  title: string;
  url: string;
  snippet: string;
  /** Date of the page as `YYYY-MM-DD`, or as the provider wrote it: "2 days ago". */
  date?: string;
  /** The provider's own measure of how well the page fits, where it has one; more is better. */
  score?: number;
};
