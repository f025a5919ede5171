import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ollama } from "@troupe/providers-ollama";

// Stands in for the server, so that this runs without one. Leave baseURL out to ask the one on this machine.
const server = createServer((_, response) => {
  response.write(`${JSON.stringify({ message: { content: "Take an " } })}\n`);
  const counts = { prompt_eval_count: 10, eval_count: 5 };
  response.end(
    `${JSON.stringify({ message: { content: "umbrella." }, done: true, done_reason: "stop", ...counts })}\n`,
  );
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

const model = ollama("qwen3:8b", { baseURL: `http://127.0.0.1:${port}`, contextLength: 16_384 });
const { text, usage } = await model.generate([{ role: "user", content: "What is the weather like in Oslo?" }]);

console.log(`${text} (${usage.totalTokens} tokens)`);
server.close();
