import type { IncomingMessage } from "node:http";
import type { VendorRequest } from "./dialect.ts";

/** Reads a whole request. A client that leaves in the middle leaves what came until then. */
export async function readRequest(incoming: IncomingMessage): Promise<VendorRequest> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of incoming) pieces.push(piece as Buffer);
  } catch {
    // What was asked is still worth recording.
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
