import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
// #region readme
import { Agent, defineTool } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import { openai } from "@troupe/providers-openai";
import express from "express";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const helper = new Agent({ name: "helper", model: openai("gpt-6.1-sol"), tools: [weather] });
const server = express()
  .use(createAgentRouter({ agents: { helper } }))
  .listen(process.env["PORT"] ?? 3000);
// #endregion

await once(server, "listening");
const { port } = server.address() as AddressInfo;
const response = await fetch(`http://127.0.0.1:${port}/agents/helper/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "What should I take along to Oslo?" }),
});
const { text, error } = (await response.json()) as { text?: string; error?: { code: string } };
server.closeAllConnections();
server.close();

// Without a key the run goes as far as the vendor, and the answer says which key is missing.
if (process.env["OPENAI_API_KEY"] === undefined) assert.equal(`${response.status} ${error?.code}`, "401 unauthorized");
else assert.ok(text);
