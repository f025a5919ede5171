import { getEventListeners, once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSse } from "./read-sse.ts";

const oneEvent = Buffer.from("data: a\n\n");

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A source that gives its chunks and then waits for ever, and tells when it was freed. */
function endlessSource(...chunks: Buffer[]) {
  const source = {
    reads: 0,
    isFreed: false,
    [Symbol.asyncIterator]: () => ({
      next: (): Promise<IteratorResult<Buffer>> => {
        const value = chunks[source.reads++];
        return value === undefined ? new Promise(() => {}) : Promise.resolve({ done: false, value });
      },
      return: async (): Promise<IteratorResult<Buffer>> => {
        source.isFreed = true;
        return { done: true, value: undefined };
      },
    }),
  };
  return source;
}

/** A reply of a real server, as its client gets it and as the server sees it. */
async function openReply(): Promise<{ reply: IncomingMessage; response: ServerResponse }> {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const outgoing = request({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" }).end();
  const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  response.write(Buffer.concat([oneEvent, oneEvent]));
  const [reply] = (await once(outgoing, "response")) as [IncomingMessage];
  return { reply, response };
}

describe("readSse", () => {
  it("reads a reply to its end", async () => {
    const { reply, response } = await openReply();
    response.end("data: b\r\n\r\n");

    expect(await readAll(readSse(reply))).toEqual([{ data: "a" }, { data: "a" }, { data: "b" }]);
  });

  it("closes the connection when the loop is left early", async () => {
    const { reply, response } = await openReply();

    for await (const event of readSse(reply)) if (event.data === "a") break;

    await once(response, "close");
    expect(reply.destroyed).toBe(true);
  });

  it("closes the connection and wakes a waiting reader at once when its signal aborts", async () => {
    const { reply, response } = await openReply();
    const controller = new AbortController();
    const events = readSse(reply, { signal: controller.signal });
    await events.next();
    await events.next();

    const waiting = events.next();
    controller.abort(new Error("enough"));

    await expect(waiting).rejects.toMatchObject({ code: "cancelled", cause: new Error("enough") });
    await once(response, "close");
  });

  it("releases a source that never answers when its signal aborts", async () => {
    const source = endlessSource(oneEvent);
    const controller = new AbortController();
    const events = readSse(source, { signal: controller.signal });
    await events.next();

    const waiting = events.next();
    controller.abort();

    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    expect(source.isFreed).toBe(true);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it("ends between two events of one chunk when its signal has aborted", async () => {
    const source = endlessSource(Buffer.concat([oneEvent, oneEvent]));
    const controller = new AbortController();
    const events = readSse(source, { signal: controller.signal });

    await events.next();
    controller.abort();

    await expect(events.next()).rejects.toMatchObject({ code: "cancelled" });
    expect(source.isFreed).toBe(true);
  });

  it("reads nothing and releases its source when the signal had aborted before", async () => {
    const source = endlessSource(oneEvent);

    await expect(readSse(source, { signal: AbortSignal.abort() }).next()).rejects.toMatchObject({ code: "cancelled" });

    expect(source).toMatchObject({ reads: 0, isFreed: true });
  });

  it("ignores the error of a source that is released", async () => {
    const complaining = new Readable({ read() {}, destroy: (_, done) => done(new Error("destroyed too early")) });

    const read = readSse(complaining, { signal: AbortSignal.abort() }).next();

    await expect(read).rejects.toMatchObject({ code: "cancelled" });
    await new Promise((resolve) => complaining.once("close", resolve));
  });

  it("passes on the errors of its source unchanged", async () => {
    const failure = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    const source = Readable.from(
      (async function* () {
        yield oneEvent;
        throw failure;
      })(),
    );
    const events = readSse(source, { signal: new AbortController().signal });
    await events.next();

    await expect(events.next()).rejects.toBe(failure);
  });

  it("leaves no listener on its signal, however it ends", async () => {
    const { signal } = new AbortController();
    const left = readSse(endlessSource(oneEvent), { signal });
    const tooLarge = readSse(endlessSource(oneEvent), { signal, maxEventBytes: 1 });
    const failing = readSse(
      new Readable({
        read: () => {
          throw new Error("hang up");
        },
      }),
      { signal },
    );

    await readAll(readSse(Readable.from([oneEvent]), { signal }));
    await left.next();
    await left.return({ isCut: false });
    await readAll(tooLarge).catch(() => undefined);
    await readAll(failing).catch(() => undefined);

    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("stops at an event that is too large, without reading on, and releases its source", async () => {
    const chunks = Array.from({ length: 4096 }, () => Buffer.alloc(65_536, "x"));
    const source = endlessSource(oneEvent, ...chunks);
    const events = readSse(source);
    await events.next();

    await expect(events.next()).rejects.toMatchObject({ code: "invalid_value" });

    expect(source).toMatchObject({ reads: 1 + 17, isFreed: true });
  });

  it.each([
    ["data: a\n\n", false],
    ["data: a\n\ndata: b\n", true],
    ["data: a\n\nda", true],
  ])("tells if %j was cut", async (text, isCut) => {
    const events = readSse(Readable.from([Buffer.from(text)]));

    expect([await events.next(), await events.next()]).toEqual([
      { done: false, value: { data: "a" } },
      { done: true, value: { isCut } },
    ]);
  });
});
