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
    const body = passThrough(reply.body, isStream ? eventLimit(bounds) : byteLimit(bounds));
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

/**
 * A limit on the body of a reply: passes on all bytes of a chunk, at once or in parts, also of an empty chunk. Throws for
 * a body beyond the limit.
 */
type Limit = (chunk: Bytes, pass: (bytes: Bytes) => void) => void | Promise<void>;

/**
 * Returns a stream of what a limit passes on. Not a `TransformStream` with `pipeThrough`: two more streams and a pipe
 * between them cost a tenth of a whole call.
 */
function passThrough(body: ReadableStream<Bytes>, limit: Limit): ReadableStream<Bytes> {
  const reader = body.getReader();
  const limitOrCancel: Limit = async (chunk, pass) => {
    try {
      await limit(chunk, pass);
    } catch (error) {
      // After a failure the rest of the body is not read.
      reader.cancel(error).catch(() => {});
      throw error;
    }
  };
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else await limitOrCancel(value, (bytes) => controller.enqueue(bytes));
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // No bytes are read before the library asks for them.
    { highWaterMark: 0 },
  );
}

function byteLimit({ maxBytes, problem }: ReplyBounds): Limit {
  let size = 0;
  let hasBegun = false;
  return (chunk, pass) => {
    const first = hasBegun ? undefined : chunk.find((byte) => !leading.has(byte));
    hasBegun ||= first !== undefined;
    if (first === openingBracket) {
      // A reply that is an array is refused, because the library would check the whole array at once. No supported
      // revision of the protocol has such replies.
      throw problem.note("answered one request by an array of messages. The protocol allows one message.");
    }
    size += chunk.length;
    if (size > maxBytes) throw problem.note(largeMessage(maxBytes));
    pass(chunk);
  };
}

function eventLimit({ maxBytes, problem }: ReplyBounds): Limit {
  let size = 0;
  return async (chunk, pass) => {
    let start = 0;
    do {
      const { end, longest, left } = nextLines(chunk, start, size);
      if (longest > maxBytes) throw problem.note(largeMessage(maxBytes));
      if (start > 0) await nextTurn();
      pass(chunk.subarray(start, end));
      size = left;
      start = end;
    } while (start < chunk.length);
  };
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
