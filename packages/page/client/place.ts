/** The view in the page's address: the inspector, the schedules, the inbox, or the chat with or without a session. */
export type Place =
  | { readonly view: "chat"; readonly sessionId: string | undefined }
  | { readonly view: "inspector" | "overview" | "schedules" | "inbox" };

/** Reads the view from the fragment of an address. */
export function readPlace(hash: string): Place {
  if (hash.startsWith("#/inspector")) return { view: "inspector" };
  if (hash === "#/schedules") return { view: "schedules" };
  if (hash === "#/overview") return { view: "overview" };
  if (hash === "#/inbox") return { view: "inbox" };
  const [, id] = /^#\/s\/([^/]+)$/.exec(hash) ?? [];
  try {
    return { view: "chat", sessionId: id === undefined ? undefined : decodeURIComponent(id) };
  } catch {
    return { view: "chat", sessionId: undefined };
  }
}

/** Returns the address fragment for the chat of a session, or for a chat without a session. */
export function addressOf(sessionId: string | undefined): string {
  return sessionId === undefined ? "#/" : `#/s/${encodeURIComponent(sessionId)}`;
}
