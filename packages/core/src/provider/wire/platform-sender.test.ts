import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { serveLoopback } from "../../../test/loopback-server.ts";
import { codeOf, echo, failure, readEcho } from "../../../test/pooled.ts";
import { openPool } from "./open-pool.ts";
import { sendByPlatform } from "./platform-sender.ts";

it("the platform sender opens no pool on a runtime whose undici has clients without dispatch", async () => {
  const partial = { Client: { prototype: {} }, buildConnector: () => undefined } as never;

  expect(await openPool({}, async () => await Promise.resolve(partial))).toBeUndefined();
  expect(await openPool({})).toBeDefined();
});

it("the platform sender opens no pool on a runtime that cannot load undici", async () => {
  expect(await openPool({}, async () => await Promise.reject(new Error("Dynamic require.")))).toBeUndefined();
});

it("the platform sender opens no pool on workerd, whose sockets undici cannot use", async () => {
  vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
  onTestFinished(() => void vi.unstubAllGlobals());

  expect(await openPool({})).toBeUndefined();
});

it("the platform sender sends method, path, headers and body by the fetch of the platform", async () => {
  const { url } = await serveLoopback(echo);
  const init = { method: "POST", headers: { "x-a": "b" }, body: "Grüße" };

  const reply = await sendByPlatform(`${url}/path?q=1`, init);
  expect(reply.status).toBe(200);
  expect(await readEcho(reply)).toMatchObject({ method: "POST", url: "/path?q=1", body: "Grüße" });
});

it("the platform sender is unavailable with the network's code when the platform's connection fails", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));

  const error = await failure(sendByPlatform(`http://127.0.0.1:${port}`, {}));
  expect([error.code, error.cause]).toMatchObject(["unavailable", { cause: { code: "ECONNREFUSED" } }]);
});

it("the platform sender keeps the timeouts and the signal of the pool", async () => {
  const { url } = await serveLoopback(() => undefined);
  const late = await failure(sendByPlatform(url, { headersTimeoutMs: 20 }));
  expect([late.code, codeOf(late)]).toEqual(["timeout", "ETIMEDOUT"]);

  const left = new AbortController();
  const sending = sendByPlatform(url, { signal: left.signal });
  const reason = new Error("The client has left.");
  left.abort(reason);
  await expect(sending).rejects.toBe(reason);
});
