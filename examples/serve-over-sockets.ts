import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { io as dial } from "socket.io-client";
// #region readme
import { createServer } from "node:http";
import { Agent, defineTool } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { createAgentGateway } from "@troupe/socket";
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
const io = new Server(server);
createAgentGateway({ io, agents: { helper }, allowedOrigins: ["https://app.example.org"] });
server.listen(process.env["PORT"] ?? 3000);
// #endregion

await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/service`;
const connect = async (origin: string): Promise<string> => {
  const socket = dial(url, { transports: ["websocket"], forceNew: true, extraHeaders: { origin } });
  return await new Promise<string>((resolve) => {
    socket.once("connect", () => resolve("connected")).once("connect_error", ({ message }) => resolve(message));
  }).finally(() => socket.disconnect());
};
const listed = await connect("https://app.example.org");
const foreign = await connect("https://evil.example");
await io.close();

assert.equal(listed, "connected");
assert.match(foreign, /another site/);
