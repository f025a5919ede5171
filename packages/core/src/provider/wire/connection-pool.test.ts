import { Client } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveLoopback } from "../../../test/loopback-server.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { toHttpRequest } from "./http-request.ts";
import { sendRequest } from "./send-request.ts";

type Answer = Parameters<typeof serveLoopback>[0];

async function startPool(answer: Answer, options: Client.Options = {}) {
  const { url } = await serveLoopback(answer);
  const pool = new ConnectionPool((origin) => new Client(origin, { allowH2: false, ...options }));
  onTestFinished(() => pool.destroy());
  const send = (signal?: AbortSignal) => sendRequest(toHttpRequest(url, { signal }), pool);
  return { pool, send };
}

async function readAll({ body }: Awaited<ReturnType<typeof sendRequest>>): Promise<void> {
  for await (const _ of body);
}

describe("ConnectionPool", () => {
  it("opens a connection per concurrent request, and reuses them for later requests", async () => {
    const { pool, send } = await startPool((_, response) => void response.end("hi"));

    const replies = await Promise.all([send(), send(), send()]);
    expect(pool.size).toBe(3);
    await Promise.all(replies.map(readAll));
    for (let round = 0; round < 20; round++) await readAll(await send());

    expect(pool.size).toBe(3);
  });

  it("releases aborted requests, however many end at once", async () => {
    const { pool, send } = await startPool((_, response) => void response.write("begun"));
    const abort = new AbortController();
    const replies = await Promise.all(Array.from({ length: 200 }, () => send(abort.signal)));

    abort.abort();

    await vi.waitFor(() => expect(pool.size).toBe(0));
    await expect(Promise.all(replies.map(readAll))).rejects.toThrow("aborted");
  });

  it("forgets an idle connection that the server closes, and one that failed to open", async () => {
    const { pool, send } = await startPool((request, response) => {
      response.end("hi");
      setTimeout(() => request.socket.end(), 20);
    });
    await readAll(await send());
    await vi.waitFor(() => expect(pool.size).toBe(0));

    const nowhere = toHttpRequest("http://127.0.0.1:1", {});
    await expect(sendRequest(nowhere, pool)).rejects.toMatchObject({ code: "unavailable" });

    await vi.waitFor(() => expect(pool.size).toBe(0));
    await readAll(await send());
  });

  it("keeps one connection, however many requests are rejected before they are sent", async () => {
    const { pool, send } = await startPool((_, response) => void response.end("hi"));
    const request = { url: new URL("http://127.0.0.1:9"), method: "GET", headers: ["x", "a\nb"] };

    for (let round = 0; round < 5; round++)
      await expect(sendRequest(request, pool)).rejects.toMatchObject({ code: "invalid_request" });

    expect(pool.size).toBe(1);
    await readAll(await send());
  });

  it("ends all requests when it is destroyed", async () => {
    const { pool, send } = await startPool((_, response) => void response.write("begun"));
    const reply = await send();

    await pool.destroy();

    await expect(readAll(reply)).rejects.toMatchObject({ code: "unavailable" });
    expect(pool.size).toBe(0);
  });
});
