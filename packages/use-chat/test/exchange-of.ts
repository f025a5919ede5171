import { Readable } from "node:stream";
import type { FakeResponse } from "@troupe-internal/fake-responses";
import { createLogger } from "@troupe/core";
import { NodeExchange } from "@troupe/core/transport";
import type { NodeRequest } from "@troupe/core/transport";

/** Makes an exchange around a response, and keeps the entries that are logged for it. A body is sent as JSON. */
export function exchangeOf(
  response: FakeResponse,
  { body, ...fields }: { body?: unknown; [field: string]: unknown } = {},
) {
  const entries: Record<string, unknown>[] = [];
  const write = (line: string): void => void entries.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ level: "debug", color: false, write });
  const bytes = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  const headers = { "content-type": "application/json", "content-length": String(bytes[0]?.length ?? 0) };
  const own = { url: "/", baseUrl: "", method: "POST", httpVersion: "1.1", complete: true, headers, ...fields };
  const request = Object.assign(Readable.from(bytes), own);
  return { exchange: new NodeExchange(request as unknown as NodeRequest, response.asResponse, logger), entries };
}
