import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { head, open, sendRaw } from "../../test/raw.ts";
import { scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const json = "Content-Type: application/json";
const chunked = "Transfer-Encoding: chunked";

function chunk(text: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), Buffer.from(text), Buffer.from("\r\n")]);
}

describe("a raw connection", () => {
  it("takes a body in chunks of any size", async () => {
    const service = await serve({ agents: { a: talker("Hello.") } });
    const body = Buffer.from('{"input":"Grüße 💩"}');
    const pieces = [...body].map((_, index) => chunk(body.subarray(index, index + 1)));

    const answer = await sendRaw(service, head("/agents/a/run", json, chunked), ...pieces, "0\r\n\r\n");

    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain("Hello.");
  });

  it("takes empty chunks as a missing body", async () => {
    const service = await serve({ agents: { a: talker() } });

    const answer = await sendRaw(service, head("/agents/a/run", json, chunked), "0\r\n\r\n");

    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("must have an input");
  });

  it.each([
    ["a chunk without a length", [chunked], "zz\r\nabc\r\n"],
    ["two lengths", ["Content-Length: 5", "Content-Length: 6"], "hello!"],
    ["a length and chunks", [chunked, "Content-Length: 5"], "0\r\n\r\n"],
    ["a negative length", ["Content-Length: -1"], "x"],
    ["a length in words", ["Content-Length: ten"], "x"],
    ["more than the length says", ["Content-Length: 5"], '{"input":"x"}'],
  ])("lets the server itself refuse %s", async (_, headers, body) => {
    const service = await serve({ agents: { a: talker() } });

    expect(await sendRaw(service, head("/agents/a/run", json, ...headers), body)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await service.post("/agents/a/run", { input: "x" })).toMatchObject({ status: 200 });
  });

  it.each([
    ["half a character", Buffer.from([0x7b, 0x22, 0xc3, 0x22, 0x7d])],
    ["half of a pair", Buffer.from('{"input":"\xed\xa0\x80"}', "latin1")],
    ["an overlong slash", Buffer.from('{"input":"\xc0\xaf"}', "latin1")],
    ["Latin 1", Buffer.from('{"input":"Grüße"}', "latin1")],
    ["UTF-16", Buffer.from('\ufeff{"input":"x"}', "utf16le")],
  ])("refuses a body that is not UTF-8: %s", async (_, body) => {
    const service = await serve({ agents: { a: talker() } });

    const answer = await sendRaw(service, head("/agents/a/run", json, `Content-Length: ${body.length}`), body);

    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("UTF-8");
  });

  it("takes a body with a byte order mark", async () => {
    const service = await serve({ agents: { a: talker() } });
    const body = Buffer.from('\ufeff{"input":"x"}');

    const answer = await sendRaw(service, head("/agents/a/run", json, `Content-Length: ${body.length}`), body);

    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("runs and logs nothing if the client disconnects within the body", async () => {
    const { agent, model } = scripted("Never said.");
    const service = await serve({ agents: { a: agent } });
    for (const headers of [["Content-Length: 100"], [chunked]]) {
      const socket = open(service.port);
      socket.write(
        head("/agents/a/run", json, ...headers) + (headers.includes(chunked) ? '5\r\n{"inp\r\n' : '{"input":'),
      );
      await once(socket, "connect");
      socket.destroy();
    }

    expect((await service.ask("/health")).status).toBe(200);
    expect(model.calls).toEqual([]);
    expect(service.lines).toEqual([]);
  });

  it("is closed if the client ends its sending side within the body", async () => {
    const service = await serve({ agents: { a: talker() } });
    const socket = open(service.port);
    socket.resume();

    socket.end(`${head("/agents/a/run", json, "Content-Length: 100")}{"input":`);

    await once(socket, "close");
    expect(service.lines).toEqual([]);
  });

  it("refuses a body that is announced too long before it is sent", async () => {
    const service = await serve({ agents: { a: talker() } });

    const answer = await firstBytes(service.port, head("/agents/a/run", json, "Content-Length: 10000000000"));

    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer.toLowerCase()).toContain("connection: close");
  });

  it.each(["a length", "chunks"])(
    "answers a client that sends too much, with %s, before it is closed",
    async (form) => {
      const onNode = "a web-standard server decides what becomes of an unread body";
      const service = await serve({ agents: { a: talker() } }, { onNode });
      const megabyte = Buffer.alloc(1_048_576, "x");
      const isChunked = form === "chunks";
      const length = isChunked ? chunked : `Content-Length: ${8 * megabyte.length}`;
      const pieces = Array.from({ length: 8 }, () => (isChunked ? chunk(megabyte) : megabyte));

      const answer = await sendAll(service.port, [
        head("/agents/a/run", json, length),
        ...pieces,
        isChunked ? "0\r\n\r\n" : "",
      ]);

      expect(answer.error).toBeUndefined();
      expect(answer.text).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer.text).toContain("payload_too_large");
    },
  );

  it("is closed some time after the answer if the client never stops sending", async () => {
    const service = await serve({ agents: { a: talker() }, maxBodyBytes: 1000 });
    const socket = open(service.port);
    socket.resume();
    socket.write(head("/agents/a/run", json, chunked));
    const drip = setInterval(() => socket.write(chunk("x".repeat(2000))), 20);

    await once(socket, "close");

    clearInterval(drip);
    expect((await service.ask("/health")).status).toBe(200);
  });

  it("refuses a compressed body without decoding it", async () => {
    const service = await serve({ agents: { a: talker() } });
    const bomb = gzipSync(Buffer.from(`{"input":"${"x".repeat(50_000_000)}"}`));

    const answer = await sendRaw(
      service,
      head("/agents/a/run", json, "Content-Encoding: gzip", `Content-Length: ${bomb.length}`),
      bomb,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  });

  it("answers several requests in their order, also after one that was refused", async () => {
    const service = await serve({ agents: { a: talker() } });
    const request = (path: string, body: string, ...more: string[]) =>
      [`POST ${path} HTTP/1.1`, "Host: test", json, `Content-Length: ${body.length}`, ...more, "", body].join("\r\n");

    const answers = await sendRaw(
      service,
      request("/agents/b/run", '{"input":"x"}') +
        request("/agents/a/run", "not JSON") +
        request("/agents/a/run", '{"input":"x"}', "Connection: close"),
    );

    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["404", "400", "200"]);
  });

  it("takes headers with hostile names", async () => {
    const service = await serve({ agents: { a: talker() } });
    const body = '{"input":"x"}';

    const answer = await sendRaw(
      service,
      head("/agents/a/run", json, `Content-Length: ${body.length}`, "__proto__: x", "constructor: y"),
      body,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("takes a target with a host in it", async () => {
    const service = await serve({ agents: { a: talker() } });
    const body = '{"input":"x"}';

    const answer = await sendRaw(
      service,
      head("http://test/agents/a/run", json, `Content-Length: ${body.length}`),
      body,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

/** Returns the first bytes of an answer and closes the connection. */
async function firstBytes(port: number, bytes: string): Promise<string> {
  const socket = open(port);
  socket.write(bytes);
  const [piece] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return piece.toString();
}

/** Sends everything before it reads, as simple clients do. */
async function sendAll(port: number, pieces: readonly (string | Buffer)[]): Promise<{ text: string; error: unknown }> {
  const socket = open(port);
  let error: unknown;
  const received: Buffer[] = [];
  socket.on("error", (thrown) => (error = thrown));
  for (const piece of pieces) {
    if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
  }
  socket.on("data", (piece: Buffer) => received.push(piece));
  if (!socket.closed) await once(socket, "close");
  return { text: Buffer.concat(received).toString(), error };
}
