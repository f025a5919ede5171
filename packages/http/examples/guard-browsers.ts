import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import cors from "cors";
import express from "express";
import helmet from "helmet";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });

// Pages of these origins, and no others, may call the service and read what it answers.
const allowed = cors({
  origin: ["https://app.example.org"],
  allowedHeaders: ["authorization", "content-type", "x-openai-api-key", "x-request-id"],
  exposedHeaders: ["x-request-id", "x-run-id", "x-session-id", "retry-after"],
  maxAge: 600,
});
const app = express()
  .disable("x-powered-by")
  .use(helmet(), allowed, createAgentRouter({ agents: { helper } }));

const server = createServer(app);
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

async function ask(method: string, origin: string): Promise<void> {
  const { status, headers } = await fetch(`http://127.0.0.1:${port}/agents/helper/run`, {
    method,
    headers: { origin, "content-type": "application/json", "access-control-request-method": "POST" },
    ...(method === "POST" && { body: JSON.stringify({ input: "Hi" }) }),
  });
  const mayRead = headers.get("access-control-allow-origin") === origin;
  const isGuarded = headers.get("x-content-type-options") === "nosniff" && headers.has("strict-transport-security");
  console.log(`${method} from ${origin}: ${status}, readable: ${mayRead}, guarded: ${isGuarded}`);
}

await ask("OPTIONS", "https://app.example.org");
await ask("POST", "https://app.example.org");
await ask("OPTIONS", "https://evil.example.com");
server.closeAllConnections();
server.close();
