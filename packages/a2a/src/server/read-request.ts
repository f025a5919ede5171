import type { Exchange } from "@troupe/core/transport";

/** Returns the parameters of a request's query. */
export function queryOf({ search }: Pick<Exchange, "search">): URLSearchParams {
  return new URLSearchParams(search);
}

/** Returns the A2A version that a client names in the header, or else in the query. */
export function versionOf(exchange: Pick<Exchange, "headers" | "search">): string | undefined {
  const sent = exchange.headers["a2a-version"];
  if (sent !== undefined) return String(sent);
  return exchange.search === "" ? undefined : (queryOf(exchange).get("A2A-Version") ?? undefined);
}

const types: readonly string[] = ["application/json", "application/a2a+json"];

/** Reads the bytes of a call, which must be JSON. Throws the error to answer with. */
export async function readBody(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  return await exchange.readBytes({ maxBytes, types });
}
