import { TroupeError } from "../errors/troupe-error.ts";
import { outgoingRequest } from "./outgoing-request.ts";
import type { OutgoingRequest, RequestTimes } from "./send-request.ts";

type Content = { body?: string | Uint8Array; contentType?: string | null };

/** Reads what `fetch` takes. A body that is neither text nor bytes (a form, a blob, a stream) is gathered first. */
export async function readFetchArguments(
  input: string | URL | Request,
  init: RequestInit & RequestTimes = {},
): Promise<OutgoingRequest> {
  if (typeof input === "object" && "url" in input) {
    const { url, method, headers, body, signal } = input;
    return readFetchArguments(url, { method, headers, body, signal, ...init });
  }
  return outgoingRequest({
    url: parseUrl(input),
    method: (init.method ?? "GET").toUpperCase(),
    headers: init.headers,
    signal: init.signal ?? undefined,
    headersTimeoutMs: init.headersTimeoutMs,
    idleTimeoutMs: init.idleTimeoutMs,
    ...(await readContent(init.body)),
  });
}

function parseUrl(address: string | URL): URL {
  const url = URL.parse(String(address));
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  // Not quoted: an address may hold a key.
  throw new TroupeError("invalid_request", "url must be an absolute http: or https: address.");
}

async function readContent(body: RequestInit["body"]): Promise<Content> {
  if (body === undefined || body === null) return {};
  if (typeof body === "string") return { body, contentType: "text/plain;charset=UTF-8" };
  if (body instanceof Uint8Array) return { body };
  const content = new Response(body);
  return { body: new Uint8Array(await content.arrayBuffer()), contentType: content.headers.get("content-type") };
}
