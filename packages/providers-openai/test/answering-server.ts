import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A fake of OpenAI in a process of its own, so that its work does not count as the client's. Arguments: the number of events
 * of a stream, and of the writes that they are sent in. Prints its port.
 */
const [events = 1000, writes = 20] = process.argv.slice(2).map(Number);

const text = "some words ".repeat(100);
const words = { type: "message", id: "msg_1", role: "assistant", phase: "final_answer" };
const item = { ...words, content: [{ type: "output_text", annotations: [], logprobs: [], text }] };
const usage = { input_tokens: 10, output_tokens: 300, total_tokens: 310 };
const response = { id: "resp_1", object: "response", status: "completed", model: "gpt-6.1-sol", output: [item], usage };
const completion = { id: "chatcmpl-1", object: "chat.completion", created: 1_795_000_000, model: "gpt-4.1" };
const chatUsage = { prompt_tokens: 10, completion_tokens: 300, total_tokens: 310 };

const frame = (event: { type: string; [field: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const chunk = (more: object) =>
  `data: ${JSON.stringify({ ...completion, object: "chat.completion.chunk", service_tier: "default", ...more })}\n\n`;
const choice = (delta: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  usage: null,
});

const answers = {
  responses: {
    whole: JSON.stringify(response),
    start: [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...words, content: [] } },
    ].map(frame),
    piece: frame({
      type: "response.output_text.delta",
      sequence_number: 7,
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      delta: "some words ",
      logprobs: [],
      obfuscation: "a1b2c3",
    }),
    end: [
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ].map(frame),
  },
  chat: {
    whole: JSON.stringify({
      ...completion,
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
      usage: chatUsage,
    }),
    start: [chunk(choice({ role: "assistant", content: "" }))],
    piece: chunk(choice({ content: "some words " })),
    end: [chunk(choice({}, "stop")), chunk({ choices: [], usage: chatUsage }), "data: [DONE]\n\n"],
  },
};

async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
  let body = "";
  for await (const bytes of request) body += String(bytes);
  const { whole, start, piece, end } = answers[request.url === "/v1/responses" ? "responses" : "chat"];
  if (!body.includes('"stream":true')) {
    reply.writeHead(200, { "content-type": "application/json" }).end(whole);
    return;
  }
  reply.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of [start.join(""), ...Array<string>(writes).fill(piece.repeat(events / writes)), end.join("")]) {
    reply.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  reply.end();
}

const server = createServer((request, reply) => void answer(request, reply));
await once(server.listen(0, "127.0.0.1"), "listening");
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
process.stdin.once("end", () => process.exit()).resume();
