/** An answer as a vendor's library reads it. */
export type SdkAnswer = {
  text: string;
  thinking: string;
  calls: { name: string; arguments: unknown }[];
  usage: { promptTokens: number; completionTokens: number };
};

/** A vendor's library behind one interface. */
export interface SdkClient {
  readonly name: string;
  /** Requests a whole answer. */
  whole(): Promise<SdkAnswer>;
  /** Requests a stream and reads it to its end. */
  streamed(): Promise<SdkAnswer>;
  /** Opens a stream that the reader may abandon. */
  open(signal: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** Embeds strings, if the vendor has embeddings. */
  embed?(texts: string[]): Promise<number[][]>;
  /** Reads the fields of the library's error. */
  readError(error: unknown): { status: number | undefined; retryAfter: string | undefined };
}

/** Base URL and key for a library. */
export type SdkSetup = { url: string; key: string };

/** Returns the field of an error as a string. */
export function readRetryAfter(error: { headers?: Headers | undefined }): string | undefined {
  return error.headers?.get("retry-after") ?? undefined;
}
