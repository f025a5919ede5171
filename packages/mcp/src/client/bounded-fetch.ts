import { nextTurn } from "./ask-server.ts";
import type { McpFetch } from "./mcp-options.ts";
import { largeMessage } from "./server-problem.ts";
import type { ServerProblem } from "./server-problem.ts";

/** The largest message in bytes, and the place for the reason why a reply is refused. */
export type ReplyBounds = { readonly maxBytes: number; readonly problem: ServerProblem };

/**
 * Returns a `fetch` whose replies fail when one message in them, or a reply that is no stream, is larger than `maxBytes`,
 * and when a reply is an array of messages. Of many small events the event loop gets its turn between.
 */
export function boundedFetch(send: McpFetch | undefined, bounds: ReplyBounds): McpFetch {
  return async (url, init) => {
    const reply = await (send ?? fetch)(url, init);
    if (reply.body === null) return reply;
    const isStream = reply.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const body = reply.body.pipeThrough(isStream ? eventLimit(bounds) : byteLimit(bounds));
    const bounded = new Response(body, reply);
    // A response that is made by hand has no URL, and the library compares it after a redirect.
    Object.defineProperties(bounded, { url: { value: reply.url }, redirected: { value: reply.redirected } });
    return bounded;
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

const newline = 0x0a;
const openingBracket = 0x5b;
/** The number of lines of a stream that the library may handle before the event loop gets its turn. */
const linesInOneTurn = 128;

function byteLimit({ maxBytes, problem }: ReplyBounds): TransformStream<Bytes, Bytes> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      if (size === 0 && chunk[0] === openingBracket) {
        // The library would check all of them at once. No revision that is spoken here has such answers.
        controller.error(
          problem.note("answered one request by an array of messages. The protocol allows one message."),
        );
        return;
      }
      size += chunk.length;
      if (size > maxBytes) controller.error(problem.note(largeMessage(maxBytes)));
      else controller.enqueue(chunk);
    },
  });
}

function eventLimit({ maxBytes, problem }: ReplyBounds): TransformStream<Bytes, Bytes> {
  let size = 0;
  return new TransformStream({
    async transform(chunk, controller) {
      for (let start = 0; start < chunk.length;) {
        const end = endOfLines(chunk, start);
        const piece = chunk.subarray(start, end);
        // A message of a stream stands in one line.
        const lineEnd = piece.lastIndexOf(newline);
        size = lineEnd === -1 ? size + piece.length : piece.length - lineEnd - 1;
        if (size > maxBytes) {
          controller.error(problem.note(largeMessage(maxBytes)));
          return;
        }
        if (start > 0) await nextTurn();
        controller.enqueue(piece);
        start = end;
      }
    },
  });
}

function endOfLines(chunk: Bytes, start: number): number {
  let end = start;
  for (let lines = 0; lines < linesInOneTurn; lines++) {
    const found = chunk.indexOf(newline, end);
    if (found === -1) return chunk.length;
    end = found + 1;
  }
  return end;
}
