type Headers = Record<string, string>;

/** Returns what sends requests of revision 2025-11-25 by hand, with these headers and more. */
function senderTo({ url }: { url: string }, headers: Headers) {
  return async (body: object | undefined, more: Headers = {}, method = "POST") =>
    await fetch(url, {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify({ jsonrpc: "2.0", ...body }) }),
    });
}

/** Returns what sends the requests of a session, whoever has opened it. */
export function joinSession(served: { url: string }, id: string, headers: Headers = {}) {
  const send = senderTo(served, headers);
  const ping = async (more: Headers = {}): Promise<number> => {
    const reply = await send({ id: 2, method: "ping" }, { "mcp-session-id": id, ...more });
    await reply.text();
    return reply.status;
  };
  return { id, send, ping };
}

/** Opens a session as clients of earlier revisions do, and returns what sends its further requests. */
export async function openSession(served: { url: string }, headers: Headers = {}) {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const opened = await senderTo(served, headers)({ id: 1, method: "initialize", params });
  await opened.text();
  return joinSession(served, opened.headers.get("mcp-session-id") ?? "", headers);
}
