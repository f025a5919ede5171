import { once } from "node:events";
import { createServer, request as sendOn } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";

/** Way in which a proxy answers: it forwards, asks for a password, refuses, fails to reach the server, closes the connection, or is silent. */
export type ProxyMode = "ok" | 407 | 403 | 502 | "destroy" | "silent";

/** Starts a forward proxy on this machine, which is closed after the test, and records its requests. */
export async function startForwardProxy(mode: ProxyMode = "ok") {
  const requests: { line: string; authorization: string | undefined }[] = [];
  const open = new Set<Duplex>();
  let openConnections = 0;
  const record = ({ method, url, headers }: IncomingMessage): void => {
    requests.push({ line: `${method} ${url}`, authorization: headers["proxy-authorization"] });
  };
  const server = createServer((request, response) => {
    record(request);
    forward(request, response, mode);
  });
  server.on("connect", (request, client: Duplex) => {
    record(request);
    open.add(client.on("error", () => undefined));
    if (mode === "silent") return;
    if (mode === "destroy") client.destroy();
    else if (mode !== "ok") client.end(`HTTP/1.1 ${mode} No\r\ncontent-length: 0\r\n\r\n`);
    else tunnel(request.url ?? "", client);
  });
  server.on("connection", (socket) => {
    openConnections += 1;
    socket.once("close", () => (openConnections -= 1));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close().closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, openConnections: () => openConnections };
}

function tunnel(target: string, client: Duplex): void {
  const [host = "", port] = target.split(":");
  const server = connect(Number(port), host, () => {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    server.pipe(client).pipe(server);
  });
  server.on("error", () => client.destroy());
  client.on("close", () => server.destroy());
}

function forward(request: IncomingMessage, response: ServerResponse, mode: ProxyMode): void {
  if (mode === "silent") return;
  if (mode === "destroy") {
    response.destroy();
    return;
  }
  if (mode !== "ok") {
    response.writeHead(mode).end();
    return;
  }
  const { method, url = "", headers } = request;
  const onward = sendOn(url, { method, headers }, (reply) => {
    response.writeHead(reply.statusCode ?? 500, reply.headers);
    reply.pipe(response);
  });
  onward.on("error", () => response.destroy());
  request.pipe(onward);
}
