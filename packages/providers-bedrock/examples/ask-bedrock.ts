import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// #region readme
import { Agent } from "@troupe/core";
import { bedrock } from "@troupe/providers-bedrock";
// #endregion

// Stands in for Bedrock, so that this program runs without an account.
const server = createServer((_, response) => {
  const message = { role: "assistant", content: [{ text: "Take an umbrella." }] };
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
  response.end(JSON.stringify({ output: { message }, stopReason: "end_turn", usage }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;
const baseURL = `http://127.0.0.1:${port}`;
const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "example-secret" };

// #region readme
const model = bedrock("us.amazon.nova-pro-v1:0", { region: "us-east-1", credentials, baseURL });
const agent = new Agent({ name: "helper", model });
const { text, usage } = await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
assert.equal(usage.totalTokens, 15);
server.closeAllConnections();
server.close();
