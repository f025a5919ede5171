import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { google } from "@troupe/providers-google";

// Stands in for the vendor, so that this runs without a key. Leave baseURL out to ask the real one.
const vendor = createServer((_, response) => {
  const content = { parts: [{ text: "Take an umbrella." }] };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  response.end(JSON.stringify({ candidates: [{ content, finishReason: "STOP" }], usageMetadata }));
});
await once(vendor.listen(0, "127.0.0.1"), "listening");
const { port } = vendor.address() as AddressInfo;

const model = google("gemini-3.8-flash", { apiKey: "your-key", baseURL: `http://127.0.0.1:${port}` });
const { text, usage } = await model.generate([{ role: "user", content: "What is the weather like in Oslo?" }]);

console.log(`${text} (${usage.totalTokens} tokens)`);
vendor.close();
