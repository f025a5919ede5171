import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openai } from "@troupe/providers-openai";

// Stands in for a server on this machine, like vLLM or LM Studio, so that this runs without one.
const server = createServer((_, response) => {
  const message = { role: "assistant", content: "Take an umbrella." };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], usage }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

// To ask OpenAI itself: openai("gpt-6.1-sol"), with its key in OPENAI_API_KEY.
const model = openai("qwen-4", { baseURL: `http://127.0.0.1:${port}/v1` });
const { text, usage } = await model.generate([{ role: "user", content: "What is the weather like in Oslo?" }]);

console.log(`${text} (${usage.totalTokens} tokens)`);
server.close();
