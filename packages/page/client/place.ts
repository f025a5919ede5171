/** A place of the page that its address names: the inspector, or the chat with a session or without. */
export type Place = { readonly view: "chat"; readonly sessionId: string | undefined } | { readonly view: "inspector" };

/** Reads the place that the fragment of an address names. */
export function readPlace(hash: string): Place {
  if (hash.startsWith("#/inspector")) return { view: "inspector" };
  const [, id] = /^#\/s\/([^/]+)$/.exec(hash) ?? [];
  try {
    return { view: "chat", sessionId: id === undefined ? undefined : decodeURIComponent(id) };
  } catch {
    return { view: "chat", sessionId: undefined };
  }
}

/** Returns the fragment of the address of a session's chat, or of a chat without a session. */
export function addressOf(sessionId: string | undefined): string {
  return sessionId === undefined ? "#/" : `#/s/${encodeURIComponent(sessionId)}`;
}
