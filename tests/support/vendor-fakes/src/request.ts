import type { IncomingMessage } from "node:http";
import type { VendorRequest } from "./dialect.ts";

/** Reads a whole request. If the client disconnects early, keeps the part that arrived. */
export async function readRequest(incoming: IncomingMessage): Promise<VendorRequest> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of incoming) pieces.push(piece as Buffer);
  } catch {
    // The part that arrived is still recorded.
  }
  return {
    method: incoming.method ?? "GET",
    url: incoming.url ?? "/",
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
    ),
    body: parse(Buffer.concat(pieces).toString("utf8")),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the path of a request, without its query. */
export function pathOf({ url }: VendorRequest): string {
  return url.split("?")[0] ?? "";
}

/** Returns the key of a request that carries it as a bearer token. */
export function bearerKey({ headers }: VendorRequest): string | undefined {
  return /^Bearer (.*)$/i.exec(headers["authorization"] ?? "")?.[1];
}
