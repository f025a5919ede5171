import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TimedAnswers } from "./timing-suite.ts";

/**
 * A vendor in a process of its own, so that its work does not count as the client's. Argument: its answers as JSON,
 * with the number of events of a stream, and of the writes in which they are sent. Prints its port.
 */
type Settings = TimedAnswers & { events: number; writes: number };

const { start = "", piece, end, whole, events, writes } = JSON.parse(process.argv[2] ?? "") as Settings;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const bytes of request) body += String(bytes);
  const isStreamed = body.includes('"stream":true') || request.url?.includes("alt=sse") === true;
  if (whole !== undefined && !isStreamed) {
    response.writeHead(200, { "content-type": "application/json" }).end(whole);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of [start, ...Array<string>(writes).fill(piece.repeat(events / writes)), end]) {
    if (part !== "") response.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

const server = createServer((request, response) => void answer(request, response));
await once(server.listen(0, "127.0.0.1"), "listening");
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
process.stdin.once("end", () => process.exit()).resume();
