import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { onTestFinished } from "vitest";

/** A server on this machine, with records of its connections and requests. */
export type LoopbackServer = {
  url: string;
  port: number;
  /** Number of accepted connections. */
  connections: () => number;
  /** Number of open connections. */
  open: () => number;
  /** Method and path of each request. */
  requests: string[];
};

/** Address and TLS setting of a server. */
export type LoopbackOptions = { host?: string; tls?: { key: string; cert: string } };

/** A self-signed certificate for this machine. */
export function localhostTls(): { key: string; cert: string } {
  const read = (name: string) =>
    readFileSync(new URL(`../src/provider/wire/__fixtures__/localhost-${name}.pem`, import.meta.url), "utf8");
  return { key: read("key"), cert: read("certificate") };
}

/** Addresses on which a server can listen on this machine. */
export function loopbackHosts(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  return ["127.0.0.1", "::1"].filter((host) => addresses.includes(host));
}

/** Starts a server, which is closed after the test. */
export async function serveLoopback(
  handle: RequestListener,
  { host = "127.0.0.1", tls }: LoopbackOptions = {},
): Promise<LoopbackServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handle(request, response);
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });

  const { port } = server.address() as AddressInfo;
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const url = `${tls === undefined ? "http" : "https"}://${authority}`;
  return { url, port, requests, connections: () => connections, open: () => sockets.size };
}
