import type { Logger } from "@troupe/core";
import { methodsOption, optional, customOption, timeoutOption, wrongOption } from "@troupe/core/kit";
import { vectorStoreOptionTable } from "@troupe/core/vector";
import type { OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";
import type { VectorStoreOptions } from "@troupe/core/vector";

/** Options of `QdrantVectorStore`: the server, the prefix of its collections' names, and a time limit. */
export type QdrantOptions = VectorStoreOptions & {
  /**
   * The address of the server's REST interface, optionally with a path. Without a port it is 6333, as in Qdrant's own
   * clients. @default "http://127.0.0.1:6333"
   */
  url?: string | undefined;
  /** The API key of the server, sent with each request. */
  apiKey?: string | undefined;
  /**
   * The prefix of the names of the store's Qdrant collections: letters, digits, `_` and `-`. Stores with the same
   * prefix share their documents. @default "troupe"
   */
  prefix?: string | undefined;
  /** Milliseconds to wait for each answer of the server. @default 30_000 */
  timeoutMs?: number | undefined;
  /**
   * Receives the warning about an API key that is sent without encryption. @default writes warnings to standard error
   */
  logger?: Logger | undefined;
};

const httpAddress: OptionCheck<string> = (value, name, where) => {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw wrongOption({ ...where, name }, "an address that begins with http:// or https://", value);
  }
  if (url.username + url.password !== "") {
    throw wrongOption({ ...where, name }, "an address without a user and a password: the key is apiKey", value);
  }
  if (url.search + url.hash === "") return value as string;
  throw wrongOption({ ...where, name }, "an address without a query and a fragment", value);
};

/** Checks and defaults of the options of `QdrantVectorStore`. */
export const qdrantOptionTable = {
  ...vectorStoreOptionTable,
  url: optional(httpAddress, "http://127.0.0.1:6333"),
  apiKey: optional(
    customOption<string>(
      "a string of visible ASCII characters, as a header can carry",
      (value) => typeof value === "string" && /^[\x21-\x7e]+$/.test(value),
    ),
  ),
  prefix: optional(
    customOption<string>(
      "1 to 40 letters, digits, _ and -, that begin with a letter or a digit",
      (value) => typeof value === "string" && /^[A-Za-z0-9][\w-]{0,39}$/.test(value),
    ),
    "troupe",
  ),
  timeoutMs: optional(timeoutOption, 30_000),
  logger: optional(methodsOption<Logger>("a Logger", "warn")),
} satisfies OptionTable<QdrantOptions>;

/** The checked options of `QdrantVectorStore`, with defaults. */
export type QdrantSettings = OptionsOf<typeof qdrantOptionTable>;
