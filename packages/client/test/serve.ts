import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createHandler, createRouter, createService, serve } from "@troupe/core/service";
import type { ServiceOptions, WebHandler } from "@troupe/core/service";
import { http } from "@troupe/http";
import express from "express";
import { onTestFinished } from "vitest";

/** The servers that a service is tried on. */
export const servers = ["node:http", "express", "fetch"] as const;

/** Serves over HTTP on a free port until the test is over, and returns the address. */
export async function serveOn(kind: (typeof servers)[number], options: ServiceOptions): Promise<string> {
  const service = createService({ logger: silent, ...options });
  if (kind === "node:http") {
    const { url, server } = await serve(service, [http({ fileUpload: true })], { port: 0 });
    onTestFinished(async () => {
      // The clients of a test send nothing more: their idle connections need not be waited for.
      server.closeAllConnections();
      await service.close({ graceMs: 0 });
    });
    return url;
  }
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  if (kind === "fetch") return await listen(createServer(carry(createHandler(service, [http()]))));
  return await listen(createServer(express().use(createRouter(service, [http({ fileUpload: true })]))));
}

const silent = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silent,
  withSecrets: () => silent,
};

function ignore(): void {}

/** Listens on a free port until the test is over, and returns the address. */
async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Gives Node's requests to a handler of web-standard requests, as an adapter of a web-standard server does. */
function carry(answer: WebHandler): RequestListener {
  return (request, response) => {
    const left = new AbortController();
    response.once("close", () => left.abort());
    const hasBody = request.method !== "GET" && request.method !== "HEAD";
    const body = hasBody ? (Readable.toWeb(request) as ReadableStream<Uint8Array>) : null;
    const init: RequestInit & { duplex: "half" } = {
      method: request.method ?? "GET",
      headers: new Headers(request.headers as Record<string, string>),
      signal: left.signal,
      body,
      duplex: "half",
    };
    const pass = async (): Promise<void> => {
      const answered = await answer(new Request(`http://localhost${request.url}`, init));
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.flushHeaders();
      for await (const bytes of answered.body ?? []) {
        if (response.destroyed) return;
        if (!response.write(bytes)) await Promise.race([once(response, "drain"), once(response, "close")]);
      }
      response.end();
    };
    pass().catch(() => response.destroy());
  };
}
