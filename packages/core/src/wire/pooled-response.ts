import { PooledBody } from "./pooled-body.ts";
import { type ReplyHeaders, toHeaders } from "./reply-headers.ts";

/** What a response is made of. */
export type ResponseParts = {
  url: string;
  status: number;
  statusText: string;
  headers: ReplyHeaders;
  body: AsyncIterableIterator<Uint8Array, undefined>;
};

/** A reply in the form of a `Response`, without what makes one dear: headers and streams are built when asked for. */
export class PooledResponse {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly redirected = false;
  readonly type = "basic";
  readonly body: PooledBody | null;
  readonly #received: ReplyHeaders;
  #headers: Headers | undefined;

  constructor({ url, status, statusText, headers, body }: ResponseParts) {
    this.url = url;
    this.status = status;
    this.statusText = statusText;
    this.body = status === 204 || status === 205 || status === 304 ? null : new PooledBody(body);
    this.#received = headers;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): Headers {
    this.#headers ??= toHeaders(this.#received);
    return this.#headers;
  }

  get bodyUsed(): boolean {
    return this.body?.isUsed ?? false;
  }

  async text(): Promise<string> {
    const text = (await this.#collect()).toString("utf8");
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    // Copied: a Buffer may be a window on memory that it shares with others.
    return new Uint8Array(await this.#collect());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async blob(): Promise<Blob> {
    return (await this.#toWeb()).blob();
  }

  async formData(): Promise<FormData> {
    return (await this.#toWeb()).formData();
  }

  /** Not offered: it would hold the whole reply in memory for the slower of its two readers. */
  clone(): never {
    throw new TypeError("A pooled response is read once: keep what text() or bytes() gave instead of cloning.");
  }

  async #collect(): Promise<Buffer<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body ?? []) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async #toWeb(): Promise<Response> {
    return new Response(await this.#collect(), { headers: this.headers });
  }
}
