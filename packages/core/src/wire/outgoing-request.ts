import type { OutgoingRequest } from "./send-request.ts";

type HeaderSource = Iterable<readonly [string, string]> | Readonly<Record<string, string | undefined>>;

/** A request whose headers are in any of the forms that `fetch` takes. */
export type RequestParts = Omit<OutgoingRequest, "headers"> & {
  headers?: HeaderSource | undefined;
  /** What the body is, unless the headers say so themselves. */
  contentType?: string | null | undefined;
};

/** What the connection decides for itself, whatever the caller sets. */
const ownHeaders = ["host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "expect"];

/** Makes a request ready to go out, with the headers that every request has. */
export function outgoingRequest({ headers = {}, contentType, ...request }: RequestParts): OutgoingRequest {
  const row: string[] = [];
  const names = new Set<string>();
  for (const [name, value] of entriesOf(headers)) {
    const key = name.toLowerCase();
    if (value === undefined || ownHeaders.includes(key)) continue;
    names.add(key);
    row.push(name, value);
  }
  if (!names.has("accept")) row.push("accept", "*/*");
  // A compressed stream of small events costs more than it saves. Who wants large replies small may ask for it.
  if (!names.has("accept-encoding")) row.push("accept-encoding", "identity");
  if (typeof contentType === "string" && !names.has("content-type")) row.push("content-type", contentType);
  return { ...request, headers: row };
}

function entriesOf(headers: HeaderSource): Iterable<readonly [string, string | undefined]> {
  return isIterable(headers) ? headers : Object.entries(headers);
}

function isIterable(headers: HeaderSource): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}
