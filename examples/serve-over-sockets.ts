import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
// #region readme
import { createServer } from "node:http";
import { Agent, defineTool } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { allowOrigins, createAgentGateway } from "@troupe/socket";
import { Server } from "socket.io";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const helper = new Agent({ name: "helper", model: openai("gpt-6.1-sol"), tools: [weather] });

const server = createServer();
const io = new Server(server, { allowRequest: allowOrigins(["https://app.example.org"]) });
createAgentGateway({ io, agents: { helper } });
server.listen(process.env["PORT"] ?? 3000);
// #endregion

await once(server, "listening");
const { port } = server.address() as AddressInfo;
const refused = await fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`, {
  headers: { origin: "https://evil.example" },
});
const accepted = await fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`);
await io.close();

assert.equal(refused.status, 403);
assert.equal(accepted.status, 200);
