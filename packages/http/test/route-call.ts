import { Readable } from "node:stream";
import type { Exchange } from "../src/exchange/exchange.ts";
import type { Route } from "../src/routes/mount-route.ts";
import { exchangeOf, WrittenResponse } from "./written-response.ts";

/** Makes the exchange of a request with JSON and the parameters of its path. */
export function requestTo(params: object, { body, ...fields }: { body?: unknown; [field: string]: unknown } = {}) {
  const bytes = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  const headers = { "content-type": "application/json", "content-length": String(bytes[0]?.length ?? 0) };
  const own = { url: "/", baseUrl: "", method: "POST", httpVersion: "1.1", ...fields };
  const request = Object.assign(Readable.from(bytes), own, {
    complete: true,
    params,
    headers: { ...headers, ...(own as { headers?: object }).headers },
  });
  const response = new WrittenResponse();
  const made = exchangeOf(response);
  const exchange = { ...made.exchange, request } as unknown as Exchange;
  return { exchange, response, entries: made.entries };
}

/** Calls the handler of a route among others, such as `post /a`, and fails for one that has none. */
export async function callRoute(routes: readonly Route[], place: string, exchange: Exchange): Promise<void> {
  const [method, path] = place.split(" ");
  const handle = routes.find((route) => route.path === path)?.[method === "get" ? "get" : "post"];
  if (handle === undefined) throw new Error(`${place} has no handler.`);
  await handle(exchange);
}
