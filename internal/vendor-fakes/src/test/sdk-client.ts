/** What a vendor's own library made of an answer. */
export type SdkAnswer = {
  text: string;
  thinking: string;
  calls: { name: string; arguments: unknown }[];
  usage: { promptTokens: number; completionTokens: number };
};

/** A vendor's own library, asked the same way as all others. */
export interface SdkClient {
  readonly name: string;
  /** Asks for a whole answer. */
  whole(): Promise<SdkAnswer>;
  /** Asks for a stream and reads all of it. */
  streamed(): Promise<SdkAnswer>;
  /** Opens a stream, for a reader that goes before its end. */
  open(signal: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** Embeds, where the vendor does. */
  embed?(texts: string[]): Promise<number[][]>;
  /** What the library's error tells of the answer. */
  readError(error: unknown): { status: number | undefined; retryAfter: string | undefined };
}

/** Where a library finds the vendor, and the key it brings. */
export type SdkSetup = { url: string; key: string };

/** The field of an error, as text. */
export function readRetryAfter(error: { headers?: Headers | undefined }): string | undefined {
  return error.headers?.get("retry-after") ?? undefined;
}
