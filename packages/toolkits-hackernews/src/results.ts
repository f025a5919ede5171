/** A Hacker News story, for the model and as an artifact. */
export type HackerNewsStory = {
  title: string;
  /** The address of the story. A story without an address, as with "Ask HN", has the address of its discussion. */
  url: string;
  /** The beginning of the story's text, if it has text. */
  snippet?: string;
  score: number;
  by: string;
  comments: number;
  /** The ISO time at which the story was submitted. */
  date?: string;
  /** The address of the story's discussion. */
  discussion: string;
};

/** A Hacker News user, for the model. */
export type HackerNewsUser = {
  username: string;
  karma: number;
  /** The ISO time at which the account was created. */
  created?: string;
  /** The user's own description. */
  about?: string;
  /** Number of the user's stories, polls and comments. */
  submissions: number;
  url: string;
};
