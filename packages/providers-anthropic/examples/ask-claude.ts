import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "@troupe/providers-anthropic";

// Stands in for the vendor, so that this runs without a key. Leave baseURL out to ask the real one.
const vendor = createServer((_, response) => {
  const content = [{ type: "text", text: "Take an umbrella." }];
  const usage = { input_tokens: 10, output_tokens: 5 };
  response.end(JSON.stringify({ type: "message", content, stop_reason: "end_turn", usage }));
});
await once(vendor.listen(0, "127.0.0.1"), "listening");
const { port } = vendor.address() as AddressInfo;

const model = anthropic("claude-opus-5-5", { apiKey: "your-key", baseURL: `http://127.0.0.1:${port}` });
const { text, usage } = await model.generate([{ role: "user", content: "What is the weather like in Oslo?" }]);

console.log(`${text} (${usage.totalTokens} tokens)`);
vendor.close();
