import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** An answer of the vendor: a text, or a call of a tool. */
type Answer = string | { readonly tool: string; readonly args: object };

/** A request that the vendor received. */
type Asked = { messages: { role: string; content: unknown }[] };

/** Stands in for a vendor with OpenAI's Chat Completions API: gives its answers in order, and records what it was asked. */
export async function startVendor(...answers: Answer[]) {
  const asked: Asked[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = answers[asked.length] ?? "I have nothing more to say.";
    asked.push((await json(request)) as Asked);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(completionOf(answer)));
  };
  const server = createServer((request, response) => void take(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { baseURL, asked, close };
}

function completionOf(answer: Answer): object {
  const isText = typeof answer === "string";
  const message = isText ? { content: answer } : { content: null, tool_calls: [callOf(answer)] };
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 0,
    model: "example",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: isText ? "stop" : "tool_calls" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function callOf({ tool, args }: Exclude<Answer, string>): object {
  return { id: "call-1", type: "function", function: { name: tool, arguments: JSON.stringify(args) } };
}
