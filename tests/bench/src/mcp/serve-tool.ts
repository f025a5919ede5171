import { createServer } from "node:http";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { listen } from "../servers/listen.ts";

/** A server of the official library with one tool, for the clients that are measured. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "greeter", version: "1" });
  server.registerTool("hello", { description: "Says hello." }, () => ({ content: [{ type: "text", text: "Hello." }] }));
  return server;
});

const server = createServer((request, response) => {
  void (async () => {
    const body = Buffer.concat(await request.toArray()).toString();
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const init = { method: request.method ?? "POST", headers, ...(body !== "" && { body }) };
    const reply = await handler.fetch(new Request(`http://localhost${request.url}`, init));
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    for await (const chunk of reply.body ?? []) response.write(chunk);
    response.end();
  })();
});
listen(server);
