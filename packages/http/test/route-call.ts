import { Readable } from "node:stream";
import type { Exchange } from "@troupe/core/transport";
import { NodeExchange } from "@troupe/core/transport";
import type { NodeRequest } from "@troupe/core/transport";
import type { Route } from "@troupe/core/transport";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "./exchange-of.ts";

/** Makes the exchange of a request with JSON and the parameters of its path. */
export function requestTo(params: object, { body, ...fields }: { body?: unknown; [field: string]: unknown } = {}) {
  const bytes = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  const headers = { "content-type": "application/json", "content-length": String(bytes[0]?.length ?? 0) };
  const own = { url: "/", baseUrl: "", method: "POST", httpVersion: "1.1", ...fields };
  const request = Object.assign(Readable.from(bytes), own, {
    complete: true,
    headers: { ...headers, ...(own as { headers?: object }).headers },
  });
  const response = new WrittenResponse();
  const logged = exchangeOf(response);
  const exchange = new NodeExchange(request as unknown as NodeRequest, response.asResponse, logged.exchange.logger);
  exchange.params = params as Record<string, string>;
  return { exchange, response, entries: logged.entries };
}

/** Calls the handler of a route among others, such as `post /a`, and fails for one that has none. */
export async function callRoute(routes: readonly Route[], place: string, exchange: Exchange): Promise<void> {
  const [method, path] = place.split(" ");
  const handle = routes.find((route) => route.path === path)?.[method === "get" ? "get" : "post"];
  if (handle === undefined) throw new Error(`${place} has no handler.`);
  await handle(exchange);
}
