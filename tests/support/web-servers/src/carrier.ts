import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { NodeApp, WebAnswer } from "./host.ts";

/** Carries web-standard requests and answers over Node, as an adapter of a web-standard server does. */
export function carry(answer: WebAnswer): NodeApp {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const left = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) left.abort();
    });
    const answered = await answer(toWebRequest(request, left.signal), request);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    // What is left of the body is discarded, so that the answer is not lost with the connection.
    if (request.readableFlowing !== true) request.resume();
    if (answered.body !== null) await pass(answered.body, response);
    response.end();
  };
  return (request, response) => void handle(request, response).catch(() => response.destroy());
}

/** Sends the bytes of an answer as fast as the client takes them. */
async function pass(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  response.flushHeaders();
  for await (const bytes of body) {
    if (!response.write(bytes)) await Promise.race([once(response, "drain"), once(response, "close")]);
    if (response.destroyed) return;
  }
}

function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { headers: given, method = "GET", url: target = "/" } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const url = URL.canParse(target) ? target : `http://${hostOf(given.host)}${target}`;
  const body = hasBody(request) ? ReadableStream.from(request.iterator({ destroyOnReturn: false })) : null;
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, body, duplex: "half" };
  return new Request(url, init);
}

/** A `Request` has no malformed host. */
function hostOf(host = ""): string {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i.test(host) ? host : "localhost";
}

/** Neither GET nor HEAD has a body in a `Request`. */
function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
