/**
 * A server that misbehaves. As a program it speaks over stdio with the behaviour that its argument names, or, with the
 * argument `http`, it serves each behaviour at a path of its name and prints its port.
 */
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hostileBehaviours, plainTools } from "./hostile-behaviours.ts";
import type { HostileBehaviour, HostileIo, HostileMessage } from "./hostile-behaviours.ts";

function answer(behaviour: HostileBehaviour, message: HostileMessage, io: HostileIo): void {
  const { id, method } = message;
  if (id === undefined || method === undefined) return;
  const isListOfCall = behaviour.at === "tools/list" && method === "tools/call";
  if (method === behaviour.at || isListOfCall) behaviour.act(io, message);
  else if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    io.reply({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "evil", version: "1" } });
  } else if (method === "tools/list") io.reply({ tools: plainTools });
  else if (method === "tools/call") io.reply({ content: [{ type: "text", text: "plain" }] });
  else io.reply({});
}

function serveStdio(behaviour: HostileBehaviour): void {
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as HostileMessage;
      const { id } = message;
      const bytes = (text: string) => void process.stdout.write(text);
      const send = (sent: object) => bytes(`${JSON.stringify(sent)}\n`);
      answer(behaviour, message, {
        send,
        bytes,
        write: (text) => bytes(`${text}\n`),
        reply: (result) => send({ jsonrpc: "2.0", id, result }),
        end: () => process.stdout.write("", () => process.exit()),
      });
    }
  });
}

function httpIo(id: number | undefined, response: ServerResponse): HostileIo {
  const bytes = (text: string) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text);
  };
  const write = (text: string) => bytes(`data: ${text}\n\n`);
  return {
    bytes,
    write,
    send: (sent) => write(JSON.stringify(sent)),
    reply: (result) => {
      const text = JSON.stringify({ jsonrpc: "2.0", id, result });
      // A single message comes as JSON, others as a stream of events.
      if (response.headersSent) response.end(`data: ${text}\n\n`);
      else response.writeHead(200, { "content-type": "application/json" }).end(text);
    },
    end: () => {
      if (response.headersSent) response.end();
      else response.destroy();
    },
  };
}

function answerHttp(name: string, message: HostileMessage, response: ServerResponse): void {
  const { id, method } = message;
  const behaviour = hostileBehaviours[name];
  // No stream of its own, and not the revision of 2026.
  if (behaviour === undefined || method === "server/discover") response.writeHead(400).end();
  else if (id === undefined) response.writeHead(method === undefined ? 405 : 202).end();
  else if (method === undefined) response.writeHead(202).end();
  else answer(behaviour, message, httpIo(id, response));
}

function serveHttp(): void {
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
      const message = JSON.parse(body === "" ? "{}" : body) as HostileMessage;
      answerHttp(decodeURIComponent(request.url?.slice(1) ?? ""), message, response);
    })();
  }).listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

const [argument = ""] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename) {
  if (argument === "http") serveHttp();
  else serveStdio(hostileBehaviours[argument] ?? (Object.values(hostileBehaviours)[0] as HostileBehaviour));
}
