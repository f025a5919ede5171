import { toFetchHeaders } from "./reply.ts";
import type { RawHeaders as ReplyHeaders } from "./reply.ts";

type WebStream = ReadableStream<Uint8Array>;
type Bytes = AsyncIterableIterator<Uint8Array, undefined>;

/** Parts of a response. */
type ResponseParts = {
  url: string;
  status: number;
  statusText: string;
  headers: ReplyHeaders;
  body: Bytes;
};

/** A reply in the form of a `Response` that builds its headers and streams only when they are used. */
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
    this.#headers ??= toFetchHeaders(this.#received);
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
    // Copied: a Buffer may share its memory with others.
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

  /** Throws: a copy would keep the whole reply in memory for the slower of its two readers. */
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

/** Bytes of a reply in the form of `response.body`. Only `tee`, `pipeTo` and `pipeThrough` build a web stream. */
class PooledBody implements AsyncIterable<Uint8Array> {
  readonly #bytes: Bytes;
  #isLocked = false;
  #isUsed = false;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  get locked(): boolean {
    return this.#isLocked;
  }

  /** True once a reader has begun. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  [Symbol.asyncIterator](): Bytes {
    return this.#lock();
  }

  values(): Bytes {
    return this.#lock();
  }

  getReader() {
    const bytes = this.#lock();
    return {
      read: () => bytes.next(),
      cancel: () => leave(bytes),
      releaseLock: () => {
        this.#isLocked = false;
      },
    };
  }

  cancel(): Promise<void> {
    return leave(this.#lock());
  }

  tee(): [WebStream, WebStream] {
    return this.#webStream().tee();
  }

  pipeTo(...to: Parameters<WebStream["pipeTo"]>): Promise<void> {
    return this.#webStream().pipeTo(...to);
  }

  pipeThrough(...through: Parameters<WebStream["pipeThrough"]>): ReadableStream {
    return this.#webStream().pipeThrough(...through);
  }

  #lock(): Bytes {
    if (this.#isLocked) throw new TypeError("The body is already being read. It can be read once.");
    this.#isLocked = true;
    this.#isUsed = true;
    return this.#bytes;
  }

  #webStream(): WebStream {
    const bytes = this.#lock();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const step = await bytes.next();
      if (step.done) controller.close();
      else controller.enqueue(step.value);
    };
    // Without reading ahead: unread bytes wait in one place only.
    return new ReadableStream({ pull, cancel: () => leave(bytes) }, { highWaterMark: 0 });
  }
}

async function leave(bytes: Bytes): Promise<void> {
  await bytes.return?.();
}
