import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { codeOf, failure, type Handle, readText, startPooled } from "../../../test/pooled.ts";

const long = "hello ".repeat(100_000);

/** Sends a beginning in the gzip encoding, and then nothing. */
const stallZipped: Handle = (_, response) => {
  response.setHeader("content-encoding", "gzip");
  response.write(gzipSync(long));
};

/** Sends a whole reply that says it is encoded so. */
const encoded = (encoding: string | string[], body: string | Uint8Array): Handle => {
  return (_, response) => response.setHeader("content-encoding", encoding).end(body);
};

describe("an encoded reply", () => {
  it.each([
    { encoding: "gzip", body: gzipSync(long) },
    { encoding: "X-GZIP", body: gzipSync(long) },
    { encoding: "deflate", body: deflateSync(long) },
    { encoding: "br", body: brotliCompressSync(long) },
    { encoding: "identity", body: long },
  ])("is decoded from $encoding, and the connection is kept", async ({ encoding, body }) => {
    const { send, url, server } = await startPooled(encoded(encoding, body));

    expect([await readText(send(url)), await readText(send(url))]).toEqual([long, long]);
    expect(server.connections()).toBe(1);
  });

  it.each([
    { what: "no gzip at all", body: Buffer.from("hello"), code: "Z_DATA_ERROR" },
    { what: "cut short", body: gzipSync(long).subarray(0, 500), code: "ECONNRESET" },
  ])("fails when it is $what", async ({ body, code }) => {
    const { send, url } = await startPooled(encoded("gzip", body));

    const error = await failure(readText(send(url)));

    expect([error.code, codeOf(error)]).toEqual(["unavailable", code]);
  });

  it.each(["compress", "gzip, gzip", ["gzip", "gzip"]])(
    "is rejected and closed when encoded as %j",
    async (encoding) => {
      const { send, url, server } = await startPooled((_, response) => {
        response.setHeader("content-encoding", encoding);
        response.write(gzipSync(gzipSync(long)));
      });

      expect(await failure(send(url))).toMatchObject({
        code: "unavailable",
        message: "The server encoded its reply in an unknown way. Expected gzip, deflate or br.",
      });
      await vi.waitFor(() => expect(server.open()).toBe(0));
    },
  );

  it("closes the connection when the reader leaves early, before or after the first bytes", async () => {
    const { send, url, server } = await startPooled(stallZipped);

    for await (const chunk of (await send(url)).bytes) {
      expect(Buffer.from(chunk).toString()).toContain("hello");
      break;
    }
    await (await send(url)).bytes.return?.();

    await vi.waitFor(() => expect([server.connections(), server.open()]).toEqual([2, 0]));
  });

  it("ends with the signal's reason when it is aborted", async () => {
    const { send, url, server } = await startPooled(stallZipped);
    const controller = new AbortController();
    const text = readText(send(url, { signal: controller.signal }));
    const reason = new Error("enough");
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));

    controller.abort(reason);

    await expect(text).rejects.toBe(reason);
  });

  it("has the network's code in its error when the connection breaks", async () => {
    const { send, url } = await startPooled((request, response) => {
      response.setHeader("content-encoding", "gzip");
      response.write(gzipSync(long).subarray(0, 500), () => request.socket.resetAndDestroy());
    });

    expect(codeOf(await failure(readText(send(url))))).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)$/);
  });

  it("is closed as soon as it proves malformed, and rejects a later read", async () => {
    const { send, url, server } = await startPooled((_, response) => {
      response.setHeader("content-encoding", "gzip");
      response.write("no gzip at all");
    });
    const response = await send(url);
    await vi.waitFor(() => expect(server.open()).toBe(0));

    expect(codeOf(await failure(response.text()))).toBe("Z_DATA_ERROR");
  });
});
