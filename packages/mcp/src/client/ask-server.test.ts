import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { askServer, BadAnswer, listPages, nextTurn } from "./ask-server.ts";

type Asked = { request: unknown; options: unknown };

/** A client whose server gives these results one after another, the last one from then on. */
function clientOf(...results: object[]): { client: Client; asked: Asked[] } {
  const asked: Asked[] = [];
  const request = async (sent: unknown, _schema: unknown, options: unknown) =>
    await Promise.resolve(results[Math.min(asked.push({ request: sent, options }), results.length) - 1]);
  return { client: { request } as unknown as Client, asked };
}

const options = { timeout: 7, signal: new AbortController().signal };
const list = { method: "tools/list", field: "tools" };

async function pagesOf(client: Client): Promise<unknown> {
  const pages: unknown[] = [];
  try {
    for await (const page of listPages(client, list, options)) pages.push(page);
    return pages;
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error;
    return { pages, problem: error.message };
  }
}

describe("a request to a server", () => {
  it("is sent with its parameters, if there are any, and the options", async () => {
    const { client, asked } = clientOf({ done: 1 });
    expect(await askServer(client, { method: "prompts/get", params: { name: "a" } }, options)).toEqual({ done: 1 });
    await askServer(client, { method: "ping" }, options);

    expect(asked).toStrictEqual([
      { request: { method: "prompts/get", params: { name: "a" } }, options },
      { request: { method: "ping" }, options },
    ]);
  });

  it("has the result as the server sent it", async () => {
    const raw = { tools: [1], more: 2 };
    expect(await askServer(clientOf({ tools: [], "troupe/raw": raw }).client, { method: "a" }, options)).toBe(raw);
  });

  it("passes on a result that the library is not to check", async () => {
    const value = { whatever: 1 };
    const request = async (_: unknown, schema: { "~standard": { validate: (value: unknown) => unknown } }) =>
      await Promise.resolve(schema["~standard"].validate(value) as object);
    expect(await askServer({ request } as unknown as Client, { method: "a" }, options)).toEqual({ value });
  });
});

describe("the pages of a list", () => {
  it.each([[{}], [{ nextCursor: undefined }], [{ nextCursor: null }]])("end with one that has %j", async (end) => {
    const { client, asked } = clientOf({ tools: [1, 2], ...end }, { tools: [3] });
    expect(await pagesOf(client)).toEqual([[1, 2]]);
    expect(asked).toStrictEqual([{ request: { method: "tools/list" }, options }]);
  });

  it("follow one another by their cursors, which may be empty", async () => {
    const { client, asked } = clientOf({ tools: [1], nextCursor: "" }, { tools: [], nextCursor: "b" }, { tools: [2] });
    expect(await pagesOf(client)).toEqual([[1], [], [2]]);
    expect(asked).toStrictEqual([
      { request: { method: "tools/list" }, options },
      { request: { method: "tools/list", params: { cursor: "" } }, options },
      { request: { method: "tools/list", params: { cursor: "b" } }, options },
    ]);
  });

  it("end where the next would be the same one", async () => {
    const { client, asked } = clientOf({ tools: [1], nextCursor: "a" });
    expect(await pagesOf(client)).toEqual([[1], [1]]);
    expect(asked).toHaveLength(2);
  });

  it.each([{}, { tools: {} }, { tools: null }, { resources: [] }, { tools: "a" }])(
    "are refused where one is %j, after those before it",
    async (page) => {
      const { client } = clientOf({ tools: [1], nextCursor: "a" }, page);
      expect(await pagesOf(client)).toEqual({ pages: [[1]], problem: "it has no array tools" });
    },
  );

  it.each([7, 0, false, {}, ["a"]])("are refused where the next cursor is %j", async (nextCursor) => {
    const { client } = clientOf({ tools: [1], nextCursor });
    expect(await pagesOf(client)).toEqual({ pages: [[1]], problem: "its nextCursor is no string" });
  });

  it("are 64 at most", async () => {
    const pages = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ tools: [n], ...(n < count - 1 && { nextCursor: `c${n}` }) }));
    expect(await pagesOf(clientOf(...pages(64)).client)).toHaveLength(64);
    const { client, asked } = clientOf(...pages(65));
    expect(await pagesOf(client)).toMatchObject({ problem: "it has more than 64 pages" });
    expect(asked).toHaveLength(64);
  });

  it("let other work go first before each is read", async () => {
    const seen: string[] = [];
    setImmediate(() => seen.push("other"));
    for await (const page of listPages(clientOf({ tools: [] }).client, list, options))
      seen.push(`page of ${page.length}`);
    expect(seen).toEqual(["other", "page of 0"]);
  });
});

it("the next turn comes after the work that waits", async () => {
  const seen: string[] = [];
  setImmediate(() => seen.push("waiting"));
  await nextTurn();
  expect(seen).toEqual(["waiting"]);
});
