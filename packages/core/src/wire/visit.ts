import type { LookupFunction } from "node:net";
import { decodeBody } from "./decode-body.ts";
import { loadUndici } from "./load-undici.ts";
import { type Hop, nextHop } from "./next-hop.ts";
import { outgoingRequest } from "./outgoing-request.ts";
import { headerText, toHeaders } from "./reply-headers.ts";
import { sendRequest } from "./send-request.ts";
import { urlRefusal } from "./url-refusal.ts";

/** A reply that is read to its end. */
export type Answer = { status: number; headers: Headers; url: string; bytes: Uint8Array };

/** Within what a visit stays. The signal ends it, and takes its socket down. */
export type VisitLimits = { lookup: LookupFunction; maxBytes: number; signal: AbortSignal };

/**
 * Asks one host once, over a connection of its own, which is there until the signal aborts. It gives the whole reply, or
 * the next host to ask.
 */
export async function visit(hop: Hop, { lookup, maxBytes, signal }: VisitLimits): Promise<Answer | Hop> {
  const undici = await loadUndici();
  const client = new undici.Client(hop.url.origin, {
    connect: { lookup, signal, timeout: 0 },
    // The signal is the only clock: it bounds all hops together.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
  const { status, headers, body } = await sendRequest(outgoingRequest({ ...hop, signal }), client);
  const next = nextHop(hop, status, headerText(headers, "location"));
  if (next !== undefined) return next;
  const bytes = await readAll(await decodeBody(headers, body), maxBytes);
  return { status, headers: toHeaders(headers), url: hop.url.href, bytes };
}

async function readAll(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw urlRefusal("too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
