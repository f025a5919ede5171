import { once } from "node:events";
import { createHandler, createService } from "@troupe/core/service";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import type { Request as NodeRequest, RequestHandler, Response } from "express";
import type { AgentRouter, RouterOptions } from "../src/create-agent-router.ts";
import { http } from "../src/http.ts";

/** Mounts a handler of web-standard requests on Express, as an adapter of a web-standard server does. */
export function carry(options: RouterOptions, basePath: string): RequestHandler & Pick<AgentRouter, "service"> {
  const { swagger, fileUpload, middleware: _, ...shared } = options;
  const carried = new WeakMap<Request, NodeRequest>();
  const service = createService(
    {
      authenticate: ({ native }: ServiceRequest) => {
        return (carried.get(native as Request) as { principal?: Principal } | undefined)?.principal;
      },
      ...shared,
    },
    "createAgentRouter",
  );
  const answer = createHandler(service, [http({ swagger, fileUpload })], { basePath });
  const handle: RequestHandler = async (request, response) => {
    const left = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) left.abort();
    });
    const sent = toWebRequest(request, left.signal);
    carried.set(sent, request);
    const answered = await answer(sent, { remoteAddress: request.ip });
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    // What is left of the body is discarded, so that the answer is not lost with the connection.
    if (request.readableFlowing !== true) request.resume();
    if (answered.body !== null) await pass(answered.body, response);
    response.end();
  };
  return Object.assign(handle, { service });
}

/** Sends the bytes of an answer as fast as the client takes them. */
async function pass(body: ReadableStream<Uint8Array>, response: Response): Promise<void> {
  response.flushHeaders();
  for await (const bytes of body) {
    if (!response.write(bytes)) await Promise.race([once(response, "drain"), once(response, "close")]);
    if (response.destroyed) return;
  }
}

function toWebRequest(request: NodeRequest, signal: AbortSignal): Request {
  const { headers: given, method, originalUrl } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const url = URL.canParse(originalUrl) ? originalUrl : `http://${hostOf(given.host)}${originalUrl}`;
  const body = hasBody(request) ? ReadableStream.from(request.iterator({ destroyOnReturn: false })) : null;
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, body, duplex: "half" };
  return new Request(url, init);
}

/** A `Request` has no malformed host. */
function hostOf(host = ""): string {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i.test(host) ? host : "localhost";
}

/** Neither GET nor HEAD has a body in a `Request`. */
function hasBody({ method, headers }: NodeRequest): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
