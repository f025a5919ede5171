import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { serveLoopback } from "../../../test/loopback-server.ts";
import { codeOf, echo, failure, stall, startPooled } from "../../../test/pooled.ts";

const cuts = [
  { how: "closed", cut: (socket: Socket) => void socket.end(), code: "UND_ERR_SOCKET" },
  { how: "reset", cut: (socket: Socket) => void socket.resetAndDestroy(), code: "ECONNRESET" },
];

describe("a request of a pool that fails", () => {
  it.each(cuts)("has the code of a connection that is $how before the head", async ({ cut, code }) => {
    const { send, url } = await startPooled(({ socket }) => cut(socket));

    const error = await failure(send(url));

    expect([error.code, codeOf(error)]).toEqual(["unavailable", code]);
  });

  it.each(cuts)("yields the bytes that came, then the code of a connection that is $how", async ({ cut, code }) => {
    const sockets: Socket[] = [];
    const { send, url } = await startPooled((request, response) => {
      sockets.push(request.socket);
      response.writeHead(200, { "content-length": "100" });
      response.write("first");
    });
    const reader = (await send(url)).bytes;
    const first = await reader.next();
    for (const socket of sockets) cut(socket);

    const error = await failure(reader.next());

    expect(Buffer.from(first.value ?? []).toString()).toBe("first");
    expect([error.code, codeOf(error)]).toEqual(["unavailable", code]);
  });

  it("has the code of a refused connection", async () => {
    const { send } = await startPooled(echo);
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, "close");

    expect(codeOf(await failure(send(`http://127.0.0.1:${port}`)))).toBe("ECONNREFUSED");
  });

  it("waits for the head of a reply no longer than headersTimeoutMs", async () => {
    const { send, url } = await startPooled(() => {}, { headersTimeoutMs: 50 });

    const error = await failure(send(url));

    expect([error.code, codeOf(error)]).toEqual(["timeout", "UND_ERR_HEADERS_TIMEOUT"]);
  });

  it("prefers the timeouts of a request to those of the pool", async () => {
    const silent = await startPooled(() => {});
    const stalled = await startPooled(stall);
    const response = await stalled.send(stalled.url, { idleTimeoutMs: 50 });

    expect(codeOf(await failure(silent.send(silent.url, { headersTimeoutMs: 50 })))).toBe("UND_ERR_HEADERS_TIMEOUT");
    expect(codeOf(await failure(response.text()))).toBe("UND_ERR_BODY_TIMEOUT");
  });

  it("waits for the next bytes no longer than idleTimeoutMs", async () => {
    const { send, url } = await startPooled(stall, { idleTimeoutMs: 50 });
    const response = await send(url);

    const error = await failure(response.text());

    expect([error.code, codeOf(error)]).toEqual(["timeout", "UND_ERR_BODY_TIMEOUT"]);
  });

  it.each([300, 301, 302, 303, 307, 308])("rejects a redirect %i without following it", async (status) => {
    const second = await serveLoopback(echo);
    const { send, url, server } = await startPooled((_, response) => {
      response.writeHead(status, { location: second.url }).end();
    });

    const error = await failure(send(url, { method: "POST", headers: { "x-api-key": "secret" }, body: "hi" }));

    expect(error).toMatchObject({ code: "model_failed", fields: { status } });
    expect([server.requests.length, second.connections()]).toEqual([1, 0]);
  });

  it.each(["Bearer secret\n", "secret\r\nx-other: 1", "secret\0", "\u0001secret", "secret\u{1F600}"])(
    "never shows the value of a header that cannot be sent: %j",
    async (authorization) => {
      const { send, url, server } = await startPooled(echo);

      const { code, message, cause, stack, fields } = await failure(send(url, { headers: { authorization } }));

      expect(code).toBe("invalid_request");
      expect(`${message} ${String(cause)} ${stack} ${JSON.stringify(fields)}`).not.toContain("secret");
      expect(server.requests).toEqual([]);
    },
  );

  it.each(["not a url", "ftp://127.0.0.1/", "/path", "http://user:secret@"])(
    "rejects the address %j without quoting it",
    async (address) => {
      const { send } = await startPooled(echo);

      const error = await failure(send(address));

      expect(error.code).toBe("invalid_request");
      expect(error.message).not.toContain(address);
    },
  );
});
