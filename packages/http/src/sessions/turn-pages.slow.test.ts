import { once } from "node:events";
import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import type { ContentPart } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { Request, RequestHandler, Response } from "express";
import { describe, expect, it, vi } from "vitest";
import { open } from "../../test/raw.ts";
import { serve } from "../../test/serve.ts";
import type { Service } from "../../test/service.ts";
import { NodeExchange } from "@troupe/core/transport";
import { sendPart } from "./send-part.ts";

const signIn: RequestHandler = (request, _, next) => {
  const { "x-test-user": userId } = request.headers;
  if (typeof userId === "string") Object.assign(request, { principal: { userId } });
  next();
};
const ada = { headers: { "x-test-user": "ada" } };
const megabyte = 1_048_576;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

type Part = { type: string; data?: string; text?: string; stored?: { index: number; bytes: number } };
type Turn = { seq: number; input: Part[]; history?: { content: Part[] }[]; messages: { content: Part[] }[] };
type Page = { turns: Turn[]; next?: number };

/** Serves an agent whose session `s` of Ada has a turn with each of these inputs. */
async function serveTurns(...inputs: readonly (string | ContentPart[])[]): Promise<Service> {
  const model = new ScriptedModel().respond(() => "Seen.");
  const agent = new Agent({ name: "a", model, storage: new InMemoryStorage(), addHistoryToMessages: false });
  for (const input of inputs) await agent.run(input, { sessionId: "s", userId: "ada" });
  return await serve({ agents: { a: agent } }, { before: [signIn] });
}

/** Reads all pages, and returns the numbers of their turns and their sizes. */
async function readPages(service: Service, query = ""): Promise<{ pages: Page[]; seqs: number[][]; sizes: number[] }> {
  const pages: Page[] = [];
  const sizes: number[] = [];
  for (let after: number | undefined = 0; after !== undefined; after = pages.at(-1)?.next) {
    const { json, text } = await service.ask(`/sessions/s/turns?after=${after}${query}`, ada);
    pages.push(json as Page);
    sizes.push(text.length);
  }
  return { pages, sizes, seqs: pages.map(({ turns }) => turns.map(({ seq }) => seq)) };
}

const image = (megabytes: number): ContentPart[] => [
  { type: "image", data: Buffer.alloc(megabytes * megabyte, 1).toString("base64"), mimeType: "image/png" },
];

describe("a page of turns", () => {
  it("has at most 8 MB, says that there is more, and loses no turn [http.turns-bytes]", async () => {
    const long = "x".repeat(3 * megabyte);
    const service = await serveTurns(long, long, long, "short", "y".repeat(9 * megabyte), "short", "short");

    const { seqs, sizes } = await readPages(service);

    expect(seqs).toEqual([[1, 2], [3, 4], [5], [6, 7]]);
    expect(sizes.filter((size) => size > 8.1 * megabyte)).toHaveLength(1);
    expect((await readPages(service, "&limit=1")).seqs).toEqual([[1], [2], [3], [4], [5], [6], [7]]);
  });

  it("has references in place of data, and holds many turns of large files [http.turns-references]", async () => {
    const small: ContentPart = { type: "image", mimeType: "image/png", data: "QUJD" };
    const service = await serveTurns(...Array.from({ length: 4 }, () => [...image(5), small]));

    const { pages, seqs, sizes } = await readPages(service);

    expect(seqs).toEqual([[1, 2, 3, 4]]);
    expect(sizes[0]).toBeLessThan(10_000);
    const references = [5 * megabyte, 3].map((bytes, index) => {
      return { type: "image", mimeType: "image/png", stored: { index, bytes } };
    });
    expect(pages[0]?.turns.map(({ input }) => input)).toEqual([references, references, references, references]);
  });

  it("reads no stored data for references, and no more than a page has for inline parts [http.turns-references]", async () => {
    let pieces = 0;
    class Counting extends InMemoryStorage {
      override async get(namespace: string, key: string) {
        if (namespace === "turn-parts") pieces += 1;
        return await super.get(namespace, key);
      }
    }
    const model = new ScriptedModel().respond(() => "Seen.");
    const agent = new Agent({ name: "a", model, storage: new Counting(), addHistoryToMessages: false });
    for (let count = 0; count < 10; count++) await agent.run(image(3), { sessionId: "s", userId: "ada" });
    const service = await serve({ agents: { a: agent } }, { before: [signIn] });

    const { text } = await service.ask("/sessions/s/turns", ada);
    expect([text.length < 20_000, pieces]).toEqual([true, 0]);
    await service.ask("/sessions/s/turns?parts=inline", ada);
    // Two images of 4 MB of base64, 13 pieces each: a third would make the page too long.
    expect(pieces).toBeLessThanOrEqual(26);
  });

  it("has the data of parts as far as it fits, if it is asked for [http.turns-inline]", async () => {
    const small: ContentPart[] = [{ type: "file", data: "QUJD", mimeType: "text/x", filename: "a.txt" }];
    const url: ContentPart = { type: "image", data: "data:image/gif;base64,QUJD" };
    const service = await serveTurns(image(3), small, image(3), image(7), [url]);

    const { pages, seqs, sizes } = await readPages(service, "&parts=inline");

    expect(seqs.flat()).toEqual([1, 2, 3, 4, 5]);
    const inputs = pages.flatMap(({ turns }) => turns.map(({ input }) => input[0]));
    expect(inputs.map((part) => part?.data?.length ?? part?.stored?.bytes)).toEqual([
      4 * megabyte,
      4,
      3 * megabyte,
      7 * megabyte,
      26,
    ]);
    expect([inputs[1], inputs[4]]).toEqual([small[0], url]);
    expect(Math.max(...sizes)).toBeLessThan(8.1 * megabyte);
    expect((await service.ask("/sessions/s/turns?parts=all", ada)).status).toBe(400);
  });

  it("numbers the parts of history, input and messages together, and leaves text and web addresses", async () => {
    const model = new ScriptedModel().respond(() => "Seen.");
    const agent = new Agent({ name: "a", model, storage: new InMemoryStorage() });
    const part = (text: string): ContentPart => ({ type: "image", data: `data:image/gif;base64,${base64(text)}` });
    const address: ContentPart = { type: "image", data: "https://example.com/a.png" };
    const messages = [{ role: "user" as const, content: [part("first")] }];
    await agent.run([{ type: "text", text: "Hi" }, address, part("second")], {
      sessionId: "s",
      userId: "ada",
      messages,
    });
    const service = await serve({ agents: { a: agent } }, { before: [signIn] });

    const { turns } = (await service.ask("/sessions/s/turns", ada)).json as Page;

    expect(turns[0]?.history?.[0]?.content).toEqual([{ type: "image", stored: { index: 0, bytes: 5 } }]);
    expect(turns[0]?.input).toEqual([
      { type: "text", text: "Hi" },
      address,
      { type: "image", stored: { index: 2, bytes: 6 } },
    ]);
    const read = async (index: number) => (await service.ask(`/sessions/s/turns/1/parts/${index}`, ada)).text;
    expect([await read(0), await read(2)]).toEqual(["first", "second"]);
    expect((await service.ask("/sessions/s/turns/1/parts/1", ada)).status).toBe(404);
  });
});

describe("a part of a turn", () => {
  it("is sent to its owner as a download of its own type [http.turn-part]", async () => {
    const html = "<script>alert(1)</script>";
    const file: ContentPart = { type: "file", data: base64(html), mimeType: "text/html", filename: "é'\"; x.html" };
    const service = await serveTurns([file]);

    const { status, headers, text } = await service.ask("/sessions/s/turns/1/parts/0", ada);

    expect([status, text]).toEqual([200, html]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html",
      "content-length": String(html.length),
      "content-disposition": "attachment; filename*=UTF-8''%C3%A9%27%22%3B%20x.html",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "no-store",
    });
    for (const who of [{ headers: { "x-test-user": "bob" } }, {}]) {
      expect((await service.ask("/sessions/s/turns/1/parts/0", who)).status).toBe(404);
    }
  });

  it("has the type of its first bytes, and none that could break its headers", async () => {
    const pdf: ContentPart = { type: "image", data: base64("%PDF-1.7 and more") };
    const odd: ContentPart = { type: "file", data: "QUJD", mimeType: "text/html\r\nX-Evil: 1" };
    const service = await serveTurns([pdf, odd]);
    const typeOf = async (index: number) =>
      (await service.ask(`/sessions/s/turns/1/parts/${index}`, ada)).headers.get("content-type");

    expect([await typeOf(0), await typeOf(1)]).toEqual(["application/pdf", "application/octet-stream"]);
  });

  it.each([
    ["turns/2/parts/0", 404],
    ["turns/1/parts/1", 404],
    ["turns/1/parts/-1", 400],
    ["turns/1/parts/x", 400],
    ["turns/0/parts/0", 400],
    ["turns/x/parts/0", 400],
    ["turns/1/parts/0?inline=1", 400],
  ])("is refused at %s with %i", async (path, status) => {
    const service = await serveTurns([{ type: "file", data: "QUJD", mimeType: "text/x" }]);

    expect((await service.ask(`/sessions/s/${path}`, ada)).status).toBe(status);
  });

  it("is not read for a HEAD request, whose answer has its headers", async () => {
    let pieces = 0;
    class Counting extends InMemoryStorage {
      override async get(namespace: string, key: string) {
        if (namespace === "turn-parts") pieces += 1;
        return await super.get(namespace, key);
      }
    }
    const agent = new Agent({ name: "a", model: new ScriptedModel("Seen."), storage: new Counting() });
    await agent.run(image(5), { sessionId: "s", userId: "ada" });
    const service = await serve({ agents: { a: agent } }, { before: [signIn] });

    const { status, headers } = await service.ask("/sessions/s/turns/1/parts/0", { ...ada, method: "HEAD" });

    expect([status, headers.get("content-length")]).toEqual([200, String(5 * megabyte)]);
    expect(pieces).toBeLessThanOrEqual(4);
  });

  it("is read no faster than its client takes it, and no further when that leaves", async () => {
    let [pulled, isLeft] = [0, false];
    const service = await serve(
      { agents: { a: new Agent({ name: "a", model: new ScriptedModel() }) } },
      {
        behind: [
          (request: Request, response: Response) => {
            const pieces = async function* () {
              try {
                for (; pulled < 500; pulled++) yield Buffer.alloc(262_144);
              } finally {
                isLeft = true;
              }
            };
            const part = { mimeType: "a/b", bytes: 500 * 262_144, pieces: pieces() };
            void sendPart(new NodeExchange(request, response, createLogger()), part);
          },
        ],
      },
    );
    const socket = open(service.port);
    socket.write("GET /part HTTP/1.1\r\nHost: test\r\n\r\n");
    await once(socket, "readable");

    await vi.waitFor(async () => {
      const before = pulled;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(pulled).toBe(before);
    });
    expect(pulled).toBeLessThan(200);
    socket.destroy();
    await vi.waitFor(() => expect(isLeft).toBe(true));
  });
});
