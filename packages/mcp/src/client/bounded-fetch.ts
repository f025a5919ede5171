import type { McpFetch } from "./mcp-options.ts";

/** Returns a `fetch` whose replies fail when one message in them, or a reply that is no stream, is larger than `maxBytes`. */
export function boundedFetch(send: McpFetch | undefined, maxBytes: number): McpFetch {
  return async (url, init) => {
    const reply = await (send ?? fetch)(url, init);
    if (reply.body === null) return reply;
    const isStream = reply.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const body = reply.body.pipeThrough(byteLimit(maxBytes, isStream));
    const bounded = new Response(body, reply);
    // A response that is made by hand has no URL, and the library compares it after a redirect.
    Object.defineProperties(bounded, { url: { value: reply.url }, redirected: { value: reply.redirected } });
    return bounded;
  };
}

const newline = 0x0a;

function byteLimit(
  maxBytes: number,
  isStream: boolean,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      // A message of a stream stands in one line.
      const lineEnd = isStream ? chunk.lastIndexOf(newline) : -1;
      size = lineEnd === -1 ? size + chunk.length : chunk.length - lineEnd - 1;
      if (size > maxBytes) controller.error(new Error(`The server sent a message of more than ${maxBytes} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}
