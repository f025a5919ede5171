import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A fake of Ollama in a process of its own, so that its work does not count as the client's. Arguments: the number of lines
 * of a stream, and of the writes that they are sent in. Prints its port.
 */
const [lines = 1000, writes = 20] = process.argv.slice(2).map(Number);

const line = (message: object, more: object) =>
  `${JSON.stringify({ model: "qwen3:8b", created_at: "2026-11-20T10:00:00.000000000Z", message, ...more })}\n`;
const piece = line({ role: "assistant", content: "some words " }, { done: false });
const counts = { total_duration: 1_200_000_000, prompt_eval_count: 10, eval_count: 300, eval_duration: 900_000_000 };
const end = line({ role: "assistant", content: "" }, { done: true, done_reason: "stop", ...counts });

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const _ of request);
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  for (const part of [...Array<string>(writes).fill(piece.repeat(lines / writes)), end]) {
    response.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

const server = createServer((request, response) => void answer(request, response));
await once(server.listen(0, "127.0.0.1"), "listening");
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
process.stdin.once("end", () => process.exit()).resume();
