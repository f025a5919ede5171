import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A fake of Anthropic in a process of its own, so that its work does not count as the client's. Arguments: the number of
 * events of a stream, and of the writes that they are sent in. Prints its port.
 */
const [events = 1000, writes = 20] = process.argv.slice(2).map(Number);

const usage = { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 300 };
const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-5-5", usage };
const frame = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "some words " } };
const start = [
  { type: "message_start", message: { ...message, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
];
const end = [
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 300 } },
  { type: "message_stop" },
];
const pieces = [
  start.map(frame).join(""),
  ...Array.from({ length: writes }, () => frame(delta).repeat(events / writes)),
  end.map(frame).join(""),
];
const text = "some words ".repeat(100);
const whole = JSON.stringify({ ...message, content: [{ type: "text", text }], stop_reason: "end_turn" });

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const bytes of request) body += String(bytes);
  if (!body.includes('"stream":true')) {
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

const server = createServer((request, response) => void answer(request, response));
await once(server.listen(0, "127.0.0.1"), "listening");
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
process.stdin.once("end", () => process.exit()).resume();
