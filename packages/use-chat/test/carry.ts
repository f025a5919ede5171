import { once } from "node:events";
import type { WebHandler } from "@troupe/core/service";
import type { Request as NodeRequest, RequestHandler, Response } from "express";

/** Mounts a handler of web-standard requests on Express, as an adapter of a web-standard server does. */
export function carry(answer: WebHandler): RequestHandler {
  return async (request, response) => {
    const left = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) left.abort();
    });
    const answered = await answer(toWebRequest(request, left.signal));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    // What is left of the body is discarded, so that the answer is not lost with the connection.
    if (request.readableFlowing !== true) request.resume();
    if (answered.body !== null) await pass(answered.body, response);
    response.end();
  };
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
  const { headers, method, originalUrl } = request;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  const body = hasBody ? ReadableStream.from(request.iterator({ destroyOnReturn: false })) : null;
  const init: RequestInit & { duplex: "half" } = {
    method,
    headers: new Headers(headers as Record<string, string>),
    signal,
    body,
    duplex: "half",
  };
  return new Request(`http://localhost${originalUrl}`, init);
}
