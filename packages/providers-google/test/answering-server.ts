import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A fake of Gemini in a process of its own, so that its work does not count as the client's. Arguments: the number of events
 * of a stream, and of the writes that they are sent in. Prints its port.
 */
const [events = 1000, writes = 20] = process.argv.slice(2).map(Number);

const tail = {
  usageMetadata: {
    promptTokenCount: 10,
    candidatesTokenCount: 300,
    totalTokenCount: 310,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: 10 }],
  },
  modelVersion: "gemini-3.8-flash",
  responseId: "r-01",
};
const answer = (text: string, end: object = {}): string =>
  JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: "model" }, ...end, index: 0 }], ...tail });
const end = { finishReason: "STOP" };
const pieces = [
  ...Array.from({ length: writes }, () => `data: ${answer("some words ")}\r\n\r\n`.repeat(events / writes)),
  `data: ${answer("", end)}\r\n\r\n`,
];
const whole = answer("some words ".repeat(100), end);

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  await once(request, "end");
  if (request.url?.includes("alt=sse") !== true) {
    response.writeHead(200, { "content-type": "application/json" }).end(whole);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of pieces) {
    response.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

const server = createServer((request, response) => void respond(request, response));
await once(server.listen(0, "127.0.0.1"), "listening");
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
process.stdin.once("end", () => process.exit()).resume();
