import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { TroupeError } from "@troupe/core";
import { toPublicError } from "@troupe/core/adapter";

const welcome = {
  name: "Troupe demo server",
  status: "Agents, teams and workflows are not served yet; this server shows that the workspace builds and runs.",
  endpoints: ["GET /", "GET /health"],
};

/** The smallest honest server on core. It serves what exists, and says what does not yet. */
export function createDemoServer(): Server {
  return createServer((request, response) => {
    try {
      send(response, 200, answer(request));
    } catch (error) {
      send(response, 404, { error: toPublicError(error) });
    }
  });
}

function answer({ method = "GET", url = "/" }: IncomingMessage): unknown {
  const [path] = url.split("?");
  if (method === "GET" && path === "/") return welcome;
  if (method === "GET" && path === "/health") return { status: "ok" };
  throw new TroupeError("not_found", "There is nothing here. GET / lists what is served.");
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(`${JSON.stringify(body)}\n`);
}
