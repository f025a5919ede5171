import { pipeline } from "node:stream/promises";
import { createLogger } from "../../base/log/logger.ts";
import { expect, it } from "vitest";
import { WebExchange } from "./web-exchange.ts";

it("opens no stream that waits for a reader once the client has left", async () => {
  const left = new AbortController();
  const exchange = new WebExchange(new Request("http://own.example/", { signal: left.signal }), createLogger());
  left.abort();
  const stream = exchange.openStream(200, {});

  expect([exchange.isClosed, stream.destroyed]).toEqual([true, true]);
  await expect(pipeline([Buffer.alloc(100_000)], stream)).rejects.toThrow("Premature close");
});
