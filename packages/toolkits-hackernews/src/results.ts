/** A story of Hacker News, as the tool gives it to the model and as an artifact. */
export type HackerNewsStory = {
  title: string;
  /** Address of the story, or of its discussion where it has none, as with "Ask HN". */
  url: string;
  /** Beginning of its text, where it has one. */
  snippet?: string;
  score: number;
  by: string;
  comments: number;
  /** ISO time at which it was submitted. */
  date?: string;
  /** Address of its discussion. */
  discussion: string;
};

/** A user of Hacker News, as the tool gives it to the model. */
export type HackerNewsUser = {
  username: string;
  karma: number;
  /** ISO time at which the account was made. */
  created?: string;
  /** The text in which users describe themselves. */
  about?: string;
  /** Number of their stories, comments and votes in polls. */
  submissions: number;
  url: string;
};
