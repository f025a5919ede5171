import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";

/** A server of the revision of 2026-07-28, which also serves clients of the earlier ones. */
export type ModernServer = { url: string; revisions: Set<string>; close(): Promise<void> };

/** Makes the server for one connection. */
export function makeServer(): McpServer {
  const server = new McpServer({ name: "modern", version: "1" });
  server.registerTool("hello", { description: "Says hello" }, () => ({ content: [{ type: "text", text: "hello" }] }));
  server.registerTool("ask", { description: "Asks the user for a name" }, ({ mcpReq }) => {
    const given = acceptedContent<{ name: string; title?: string }>(mcpReq.inputResponses, "who");
    if (given === undefined) {
      if (mcpReq.inputResponses !== undefined) return { content: [{ type: "text", text: "Nobody, then." }] };
      const requestedSchema = {
        type: "object" as const,
        properties: { name: { type: "string" as const }, title: { type: "string" as const, default: "Dr" } },
      };
      return inputRequired({
        inputRequests: { who: inputRequired.elicit({ message: "Who are you?", requestedSchema }) },
      });
    }
    return { content: [{ type: "text", text: `Hello, ${given.title} ${given.name}.` }] };
  });
  server.registerTool("roots", { description: "Asks for folders" }, ({ mcpReq }) => {
    if (mcpReq.inputResponses === undefined) return inputRequired({ inputRequests: { at: inputRequired.listRoots() } });
    return { content: [{ type: "text", text: JSON.stringify(mcpReq.inputResponses) }] };
  });
  server.registerTool("large", { description: "Returns artifacts" }, () => ({
    content: [
      { type: "text", text: "Here." },
      { type: "resource", resource: { uri: "note://large", blob: "aGVs".repeat(1000), mimeType: "application/pdf" } },
      { type: "resource_link", uri: "note://tea", name: "tea" },
    ],
  }));
  const template = new ResourceTemplate("note://days/{day}", { list: undefined });
  server.registerResource("day", template, { title: "A day" }, ({ href: uri }) => ({
    contents: [{ uri, text: "A day." }],
  }));
  server.registerResource("note", "note://tea", { title: "A note", mimeType: "text/plain" }, ({ href: uri }) => ({
    contents: [{ uri, text: "Buy tea." }],
  }));
  server.registerResource("dot", "note://dot.png", { mimeType: "image/png" }, ({ href: uri }) => ({
    contents: [{ uri, blob: "iVBORw0KGgo=", mimeType: "image/png" }],
  }));
  server.registerResource("paper", "note://papers/one.pdf", { mimeType: "application/pdf" }, ({ href: uri }) => ({
    contents: [{ uri, blob: "JVBERi0=", mimeType: "application/pdf" }],
  }));
  server.registerPrompt("greet", { description: "Greets" }, () => ({
    messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
  }));
  return server;
}

/** Starts the server. */
export async function startModernServer(): Promise<ModernServer> {
  const handler = createMcpHandler(makeServer);
  const revisions = new Set<string>();
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
      revisions.add(String(request.headers["mcp-protocol-version"]));
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const init = { method: request.method ?? "POST", headers, ...(body !== "" && { body }) };
      const reply = await handler.fetch(new Request(`http://localhost${request.url}`, init));
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      for await (const chunk of reply.body ?? []) response.write(chunk);
      response.end();
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, revisions, close };
}
