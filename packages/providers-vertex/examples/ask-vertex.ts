import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { vertex } from "@troupe/providers-vertex";

// Stands in for Google Cloud, so that this runs without an account. Leave baseURL out to ask the real one.
const cloud = createServer((_, response) => {
  const content = { parts: [{ text: "Take an umbrella." }] };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  response.end(JSON.stringify({ candidates: [{ content, finishReason: "STOP" }], usageMetadata }));
});
await once(cloud.listen(0, "127.0.0.1"), "listening");
const { port } = cloud.address() as AddressInfo;

const model = vertex("gemini-3.8-flash", {
  project: "your-project",
  location: "europe-north1",
  // Or a service account's key, or nothing: then Google's Application Default Credentials are found.
  credentials: { getRequestHeaders: async () => ({ authorization: "Bearer your-token" }) },
  baseURL: `http://127.0.0.1:${port}`,
});
const { text, usage } = await model.generate([{ role: "user", content: "What is the weather like in Oslo?" }]);

console.log(`${text} (${usage.totalTokens} tokens)`);
cloud.close();
