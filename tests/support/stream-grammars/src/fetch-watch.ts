import { subscribe } from "node:diagnostics_channel";
import { keepBreach } from "./breaches.ts";
import { StreamReader } from "./stream-reader.ts";

/** A request in undici's diagnostics. */
type Asked = { readonly method: string; readonly origin: unknown; readonly path: string; readonly headers: unknown };

type Message = {
  readonly request: Asked;
  readonly response?: { readonly headers: readonly (Uint8Array | string)[] };
  readonly chunk?: Uint8Array;
};

// One watch per process, because a test runner may load several copies of this module.
const shared = globalThis as { hasFetchWatch?: true };

/**
 * Watches all responses that this process reads with `fetch` or undici: each stream of a Troupe server is checked by
 * the grammar of its protocol, whichever client reads it. The watch lasts as long as the process.
 */
export function watchFetches(): void {
  if (shared.hasFetchWatch) return;
  shared.hasFetchWatch = true;
  const readers = new WeakMap<Asked, StreamReader>();
  const step = ({ request }: Message, take: (reader: StreamReader) => void): void => {
    const reader = readers.get(request);
    if (reader !== undefined) keepBreach(nameOf(request), () => take(reader));
  };
  on("headers", (message) => {
    const { request, response } = message;
    const got = headersOf(response?.headers ?? []);
    const sent = headersOf(Array.isArray(request.headers) ? (request.headers as string[]) : []);
    const { method, path } = request;
    const reader = StreamReader.of({ method, path, sent: (name) => sent.get(name), got: (name) => got.get(name) });
    if (reader !== undefined) readers.set(request, reader);
  });
  on("bodyChunkReceived", (message) => step(message, (reader) => message.chunk && reader.push(message.chunk)));
  // Trailers, even empty ones, arrive only after a complete body.
  on("trailers", (message) => step(message, (reader) => reader.end()));
}

function nameOf({ method, origin, path }: Asked): string {
  return `${method} ${String(origin)}${path}`;
}

function on(event: string, take: (message: Message) => void): void {
  subscribe(`undici:request:${event}`, (message) => take(message as Message));
}

/** Returns headers by name from an alternating list of names and values. */
function headersOf(list: readonly (Uint8Array | string)[]): Map<string, string> {
  const texts = list.map((each) => Buffer.from(each as Uint8Array).toString());
  return new Map(texts.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), texts[at + 1] ?? ""]] : [])));
}
