import { pipeline } from "node:stream/promises";
import { createLogger } from "../../base/log/logger.ts";
import { expect, it } from "vitest";
import { WebExchange } from "./web-exchange.ts";

it("WebExchange opens no stream that waits for a reader once the client has left", async () => {
  const left = new AbortController();
  const exchange = new WebExchange(new Request("http://own.example/", { signal: left.signal }), createLogger());
  left.abort();
  const stream = exchange.openStream(200, {});

  expect([exchange.isClosed, stream.destroyed]).toEqual([true, true]);
  await expect(pipeline([Buffer.alloc(100_000)], stream)).rejects.toThrow("Premature close");
});

it.each([
  ["no header of a body", {}, false],
  ["the length 0", { "content-length": "0", "content-type": "application/json" }, false],
  ["a length", { "content-length": "2" }, true],
  ["chunks of unknown length", { "transfer-encoding": "chunked" }, true],
  ["a type", { "content-type": "application/json" }, true],
])("WebExchange takes the stream of a request with %s as a body or as none", (_, headers, hasBody) => {
  // Some servers give every POST a stream.
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers,
    body: new ReadableStream(),
    duplex: "half",
  };

  expect(new WebExchange(new Request("http://own.example/", init), createLogger()).hasBody).toBe(hasBody);
});
