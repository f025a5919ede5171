import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// #region readme
import { Agent } from "@troupe/core";
import { vertex } from "@troupe/providers-vertex";
// #endregion

// Stands in for Google Cloud, so that this program runs without an account.
const server = createServer((_, response) => {
  const content = { parts: [{ text: "Take an umbrella." }] };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  response.end(JSON.stringify({ candidates: [{ content, finishReason: "STOP" }], usageMetadata }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;
const baseURL = `http://127.0.0.1:${port}`;
const credentials = { getRequestHeaders: async () => ({ authorization: "Bearer example-token" }) };

// #region readme
const model = vertex("gemini-3.8-flash", { project: "my-project", location: "global", credentials, baseURL });
const agent = new Agent({ name: "helper", model });
const { text, usage } = await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
assert.equal(usage.totalTokens, 15);
server.closeAllConnections();
server.close();
