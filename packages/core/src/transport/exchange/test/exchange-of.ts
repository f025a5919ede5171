import type { FakeResponse } from "@troupe-internal/fake-responses";
import { createLogger } from "../../../base/log/logger.ts";
import { NodeExchange } from "../node-exchange.ts";
import type { NodeRequest } from "../node-exchange.ts";

/** Makes an exchange around a response, and collects the entries that are logged for it. */
export function exchangeOf(response: FakeResponse, request: object = {}) {
  const entries: Record<string, unknown>[] = [];
  const write = (line: string): void => void entries.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ level: "debug", color: false, write });
  const asked = { headers: {}, url: "/", baseUrl: "", method: "GET", ...request };
  return { exchange: new NodeExchange(asked as unknown as NodeRequest, response.asResponse, logger), entries };
}
