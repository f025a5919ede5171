/** The namespaces in which a session keeps records: under its own key, or under that key, a `/` and more. */
const sessionNamespaces = ["sessions", "turns", "memory", "locks"] as const;

/** The session that a record belongs to, `<tenant>/<sessionId>`, if it belongs to one. */
export function sessionOf(namespace: string, key: string): string | undefined {
  if (!(sessionNamespaces as readonly string[]).includes(namespace)) return undefined;
  const tenantEnd = key.indexOf("/");
  if (tenantEnd === -1) return undefined;
  const sessionEnd = key.indexOf("/", tenantEnd + 1);
  return sessionEnd === -1 ? key : key.slice(0, sessionEnd);
}
