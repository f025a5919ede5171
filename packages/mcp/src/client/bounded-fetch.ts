import { nextTurn } from "./ask-server.ts";
import type { McpFetch } from "./mcp-options.ts";
import { largeMessage } from "./server-problem.ts";
import type { ServerProblem } from "./server-problem.ts";

/** The largest message of an MCP server in bytes, and the place to record why a reply was refused. */
export type ReplyBounds = { readonly maxBytes: number; readonly problem: ServerProblem };

/**
 * Returns a `fetch` whose replies fail if a single message, or a reply that is not a stream, exceeds `maxBytes`. A
 * reply that is an array of messages fails too. The event loop runs other work between many small events.
 */
export function boundedFetch(send: McpFetch | undefined, bounds: ReplyBounds): McpFetch {
  return async (url, init) => {
    const reply = await (send ?? fetch)(url, init);
    if (reply.body === null) return reply;
    const isStream = reply.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const body = reply.body.pipeThrough(isStream ? eventLimit(bounds) : byteLimit(bounds));
    const bounded = new Response(body, reply);
    // A `Response` made with its constructor has no URL, but the library compares the URL after a redirect.
    Object.defineProperties(bounded, { url: { value: reply.url }, redirected: { value: reply.redirected } });
    return bounded;
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

const newline = 0x0a;
const openingBracket = 0x5b;
/** Bytes that may precede an MCP server's message: white space, and a byte order mark. */
const leading: ReadonlySet<number> = new Set([0x20, 0x09, newline, 0x0d, 0xef, 0xbb, 0xbf]);
/** Lines of a stream that the library handles at most before the event loop runs other work. */
const linesInOneTurn = 128;

function byteLimit({ maxBytes, problem }: ReplyBounds): TransformStream<Bytes, Bytes> {
  let size = 0;
  let hasBegun = false;
  return new TransformStream({
    transform(chunk, controller) {
      const first = hasBegun ? undefined : chunk.find((byte) => !leading.has(byte));
      hasBegun ||= first !== undefined;
      if (first === openingBracket) {
        // A reply that is an array is refused, because the library would check the whole array at once. No supported
        // revision of the protocol has such replies.
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
        const { end, longest, left } = nextLines(chunk, start, size);
        if (longest > maxBytes) {
          controller.error(problem.note(largeMessage(maxBytes)));
          return;
        }
        if (start > 0) await nextTurn();
        controller.enqueue(chunk.subarray(start, end));
        size = left;
        start = end;
      }
    },
  });
}

/**
 * Some lines of a stream, each with at most one message: the index of their end, the bytes of the longest line, and the
 * bytes of an unfinished last line.
 */
type Lines = { readonly end: number; readonly longest: number; readonly left: number };

/** Finds the next lines of a chunk. `before`: bytes of the first line that arrived in earlier chunks. */
function nextLines(chunk: Bytes, start: number, before: number): Lines {
  let [end, left, longest] = [start, before, 0];
  for (let lines = 0; lines < linesInOneTurn && end < chunk.length; lines++) {
    const found = chunk.indexOf(newline, end);
    const lineEnd = found === -1 ? chunk.length : found;
    left += lineEnd - end;
    longest = Math.max(longest, left);
    end = lineEnd;
    if (found === -1) break;
    end += 1;
    left = 0;
  }
  return { end, longest, left };
}
