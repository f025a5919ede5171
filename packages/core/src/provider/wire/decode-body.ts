import type { Transform } from "node:stream";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readReplyHeader } from "./reply.ts";
import type { RawHeaders } from "./reply.ts";
import { toNetworkError } from "./send-request.ts";

type Bytes = AsyncIterableIterator<Uint8Array, undefined>;

/**
 * Decompresses the body of a reply by its `content-encoding`: gzip, deflate or br. Any other encoding, or several
 * encodings (a bomb, or a broken server), is `unavailable`.
 */
export function decodeBody(headers: RawHeaders, body: Bytes): Bytes | Promise<Bytes> {
  const encoding = readReplyHeader(headers, "content-encoding")?.trim().toLowerCase() ?? "";
  return encoding === "" || encoding === "identity" ? body : decode(encoding, body);
}

async function decode(encoding: string, body: Bytes): Promise<Bytes> {
  const decoder = await createDecoder(encoding);
  if (decoder !== undefined) return new DecodedBody(body, decoder);
  await body.return?.();
  throw new TroupeError("unavailable", "The server encoded its reply in an unknown way. Expected gzip, deflate or br.");
}

async function createDecoder(encoding: string): Promise<Transform | undefined> {
  const { createBrotliDecompress, createUnzip } = await import("node:zlib");
  if (encoding === "gzip" || encoding === "x-gzip" || encoding === "deflate") return createUnzip();
  return encoding === "br" ? createBrotliDecompress() : undefined;
}

/** A body that is passed to a decoder as fast as the decoder's output is read. */
class DecodedBody implements Bytes {
  readonly #body: Bytes;
  readonly #decoder: Transform;
  readonly #decoded: AsyncIterator<Uint8Array, undefined>;
  #bodyFailure: { reason: unknown } | undefined;

  constructor(body: Bytes, decoder: Transform) {
    this.#body = body;
    this.#decoder = decoder;
    this.#decoded = decoder[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
    // The listener is attached even without a reader: an error without a listener would end the process.
    decoder.on("error", () => void body.return?.());
    void this.#feed();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      return await this.#decoded.next();
    } catch (error) {
      throw this.#bodyFailure === undefined ? toNetworkError(damaged(error)) : this.#bodyFailure.reason;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    // Destroys the decoder and the body, because the iterator of a stream that was never read releases nothing.
    this.#decoder.destroy();
    await this.#body.return?.();
    return { done: true, value: undefined };
  }

  async #feed(): Promise<void> {
    try {
      for await (const chunk of this.#body) if (!this.#decoder.write(chunk)) await this.#drained();
      this.#decoder.end();
    } catch (reason) {
      this.#bodyFailure = { reason };
      this.#decoder.destroy(new Error("The encoded reply broke off."));
    }
  }

  #drained(): Promise<void> {
    const decoder = this.#decoder;
    if (decoder.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        decoder.off("drain", go).off("close", go);
        resolve();
      };
      decoder.on("drain", go).on("close", go);
    });
  }
}

/**
 * Makes the error of an encoded body that cannot be decoded. If its bytes are truncated, the error has the code of a
 * lost connection, because a reader treats both alike.
 */
function damaged(cause: unknown): Error {
  if ((cause as NodeJS.ErrnoException).code !== "Z_BUF_ERROR") return cause as Error;
  return Object.assign(new Error("The encoded reply was cut.", { cause }), { code: "ECONNRESET" });
}
