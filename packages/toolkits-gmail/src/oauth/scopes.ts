/** Names of the tools of `GmailToolkit`. */
export const toolNames = ["gmail_send", "gmail_search", "gmail_read"] as const;

/** Name of a tool of `GmailToolkit`. */
export type GmailToolName = (typeof toolNames)[number];

const scopes: Readonly<Record<GmailToolName, string>> = {
  gmail_send: "https://www.googleapis.com/auth/gmail.send",
  gmail_search: "https://www.googleapis.com/auth/gmail.readonly",
  gmail_read: "https://www.googleapis.com/auth/gmail.readonly",
};

/** Returns the least permissions that these tools need, each once. */
export function scopesOf(tools: readonly GmailToolName[]): string[] {
  return [...new Set(tools.map((tool) => scopes[tool]))];
}
