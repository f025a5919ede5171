import { createHttpPool } from "@troupe/core/provider";
import type { HttpReply } from "@troupe/core/kit";
import type { HttpSender } from "@troupe/core/provider";
import type { ReplyBody } from "@troupe/core/provider";

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Makes a `fetch` over core's HTTP client for the vendors' libraries, as the baseline of measurements. With the
 * built-in `fetch` they would also differ in their HTTP. Its responses have the members that the libraries use.
 */
export function pooledFetch(sender: HttpSender = createHttpPool()): Fetch {
  return async (url, { method, headers, body, signal } = {}) => {
    const reply = await sender.send(typeof url === "object" && "url" in url ? url.url : url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === "string" ? body : undefined,
      signal: signal ?? undefined,
    });
    return new PooledResponse(reply) as unknown as Response;
  };
}

/** A reply in the form of a `Response`. */
class PooledResponse {
  readonly status: number;
  readonly body: PooledBody;
  readonly #reply: HttpReply;
  #headers: Headers | undefined;

  constructor(reply: HttpReply) {
    this.status = reply.status;
    this.body = new PooledBody(reply.bytes);
    this.#reply = reply;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): Headers {
    this.#headers ??= new Headers([...this.#reply.headers]);
    return this.#headers;
  }

  async text(): Promise<string> {
    return await this.#reply.text();
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/** Bytes in the form of a body, for the two ways in which the libraries read it. */
class PooledBody implements AsyncIterable<Uint8Array> {
  readonly #bytes: ReplyBody;

  constructor(bytes: ReplyBody) {
    this.#bytes = bytes;
  }

  [Symbol.asyncIterator](): ReplyBody {
    return this.#bytes;
  }

  getReader() {
    return { read: () => this.#bytes.next(), cancel: () => this.#bytes.return?.(), releaseLock: () => undefined };
  }

  async cancel(): Promise<void> {
    await this.#bytes.return?.();
  }
}
