/** The earlier answers, for requests that need an id from one of them. */
export interface Seen {
  /** Returns a header of the answer to the request with this title. */
  header(title: string, name: string): string;
  /** Returns the first group of a pattern in the answer to the request with this title. */
  match(title: string, pattern: RegExp): string;
}

/** A request that is repeated, unrecorded, until its answer has a text. */
export type Wait = { readonly request: Buffer; readonly until: string };

/** A request of the recording. */
export type Entry = {
  /** Unique in the whole table. */
  readonly title: string;
  readonly request: Buffer | ((seen: Seen) => Buffer);
  /** Begins the end of the service before the request. */
  readonly endsService?: true;
  /** Waits for the state that the request meets. */
  readonly before?: (seen: Seen) => Wait;
  /** Goes on with the next request when the answer has this text; its end is recorded all the same. */
  readonly goOnAt?: string;
  /** Disconnects when the answer has this text. */
  readonly leaveAt?: string;
};

export type Headers = Readonly<Record<string, string>>;

/** Makes a request out of its start line, headers and body. The host is always the same, so no port is in an answer. */
export function send(line: string, headers: Headers = {}, body: string | Buffer = ""): Buffer {
  const lines = Object.entries({ Host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${[`${line} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`), Buffer.from(body)]);
}

export function get(path: string, headers?: Headers): Buffer {
  return send(`GET ${path}`, headers);
}

/** Makes a POST of JSON: a value, or text that is sent as it is. */
export function post(path: string, body: unknown, headers: Headers = {}): Buffer {
  return sendJson(`POST ${path}`, body, headers);
}

export function sendJson(line: string, body: unknown, headers: Headers = {}): Buffer {
  const json = typeof body === "string" ? body : JSON.stringify(body);
  const ofBody = { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(json)) };
  return send(line, { ...ofBody, ...headers }, json);
}

/** Returns the headers of a user whom the service takes as authenticated. */
export function as(userId: string, headers: Headers = {}): Headers {
  return { "X-User": userId, ...headers };
}
