import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Logger } from "@troupe/core";
import { readOptions } from "@troupe/core/kit";
import { QdrantDouble } from "../test/qdrant-double.ts";
import { openQdrant } from "./open-qdrant.ts";
import { QdrantFailures } from "./qdrant-failure.ts";
import { qdrantOptionTable } from "./qdrant-options.ts";
import type { QdrantOptions } from "./qdrant-options.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";

const settingsOf = (options: object) =>
  readOptions(qdrantOptionTable, options as QdrantOptions, { owner: "QdrantVectorStore" });

/** Opens a client, and returns it or its failure, with the lines of the log. */
async function open(options: QdrantOptions) {
  const lines: string[][] = [];
  const keep =
    (level: string) =>
    (...line: unknown[]) =>
      void lines.push([level, ...line.map(String)]);
  const [debug, info, warn, error] = [keep("debug"), keep("info"), keep("warn"), keep("error")];
  const logger: Logger = { debug, info, warn, error, child: () => logger, withSecrets: () => logger };
  const failures = new QdrantFailures(options.apiKey);
  const opened = await openQdrant(settingsOf(options), { failures, logger }).then(
    (client) => ({ client, error: undefined }),
    (thrown: unknown) => ({ client: undefined, error: thrown }),
  );
  return { ...opened, lines };
}

describe("The options of a QdrantVectorStore", () => {
  it("have defaults", () => {
    expect(settingsOf({})).toEqual({ url: "http://127.0.0.1:6333", prefix: "troupe", timeoutMs: 30_000 });
  });

  it.each([
    { url: "HTTPS://host:443/path/" },
    { apiKey: "!~" },
    { prefix: "a" },
    { prefix: `9${"_-aZ".repeat(10)}`.slice(0, 40) },
    { timeoutMs: 1 },
    { dimensions: 1 },
  ])("take %j", (options) => {
    expect(settingsOf(options)).toMatchObject(options);
  });

  it.each<[object, string]>([
    [{ url: "qdrant" }, "url must be an address that begins with http:// or https://, got a string."],
    [{ url: "ftp://h" }, "url must be an address that begins with http:// or https://, got a string."],
    [{ url: 6333 }, "url must be an address that begins with http:// or https://, got 6333."],
    [{ url: "http://u@h" }, "url must be an address without a user and a password: the key is apiKey, got a string."],
    [{ url: "http://:p@h" }, "url must be an address without a user and a password: the key is apiKey, got a string."],
    [{ url: "http://h?a" }, "url must be an address without a query and a fragment, got a string."],
    [{ url: "http://h#a" }, "url must be an address without a query and a fragment, got a string."],
    [{ apiKey: " " }, "apiKey must be a string of visible ASCII characters, as a header can carry, got a string."],
    [
      { prefix: "" },
      "prefix must be 1 to 40 letters, digits, _ and -, that begin with a letter or a digit, got a string.",
    ],
    [
      { prefix: "_a" },
      "prefix must be 1 to 40 letters, digits, _ and -, that begin with a letter or a digit, got a string.",
    ],
    [{ logger: {} }, "logger must be a Logger, with the methods warn, got an object."],
  ])("refuse %j", (options, message) => {
    expect(() => settingsOf(options)).toThrow(expect.objectContaining({ code: "invalid_config", message }));
  });
});

describe("openQdrant", () => {
  let double: QdrantDouble;
  beforeEach(async () => void (double = await QdrantDouble.start({ apiKey: "key" })));
  afterEach(async () => await double.close());

  const answer = (version: unknown) => () => ({ status: 200, body: JSON.stringify({ title: "qdrant", version }) });

  it("asks for the version, and then with the API key for the store's collection of models", async () => {
    const { client, lines } = await open({ url: double.url, apiKey: "key", prefix: "pre" });

    expect(double.requests.map(({ method, path, headers }) => [method, path, headers["api-key"]])).toEqual([
      ["GET", "/", "key"],
      ["GET", "/collections/pre-models/exists", "key"],
    ]);
    expect([client === undefined, lines]).toEqual([false, []]);
  });

  it("sends no header for an API key without one", async () => {
    const { error } = await open({ url: double.url });

    expect(double.requests.map(({ headers }) => "api-key" in headers)).toEqual([false, false]);
    expect(error).toMatchObject({
      code: "storage_unavailable",
      message: "The Qdrant server refused the API key. Check apiKey.",
    });
  });

  it.each([
    ["/behind/", "/behind/"],
    ["/a/b//", "/a/b/"],
    ["/", "/"],
    ["", "/"],
  ])("keeps the path %j of the address before its own", async (path, expected) => {
    await open({ url: double.url + path, apiKey: "key" });

    expect(double.requests[0]?.path).toBe(expected);
  });

  it.each(["1.16.0", "1.17.3-dev", "2.0.0", "10.1.0"])("takes the version %s", async (version) => {
    double.fault = ({ path }) => (path === "/" ? answer(version)() : undefined);

    expect((await open({ url: double.url, apiKey: "key" })).error).toBeUndefined();
  });

  it.each(["1.15.9", "0.16.0", "0.99.1"])("refuses the version %s as too old", async (version) => {
    double.fault = answer(version);

    expect((await open({ url: double.url, apiKey: "key" })).error).toMatchObject({
      code: "invalid_config",
      message: `Qdrant must be of version 1.16 or later, got ${version.slice(0, -2)}.`,
    });
    expect(double.requests).toHaveLength(1);
  });

  it.each(["", "1.16", "v1.16.0", null, 1.16])("refuses the version %j, which is none of Qdrant's", async (version) => {
    double.fault = answer(version);

    expect((await open({ url: double.url, apiKey: "key" })).error).toMatchObject({
      code: "storage_unavailable",
      message: "The server at url does not answer as Qdrant does. Check url.",
    });
  });

  it("converts the failure of the second request, too", async () => {
    double.fault = ({ path }) => (path === "/" ? undefined : { status: 429 });

    expect((await open({ url: double.url, apiKey: "key" })).error).toMatchObject({
      code: "storage_unavailable",
      message: "The Qdrant server has too many requests. Try again later, or with fewer calls at once.",
    });
  });

  it("waits timeoutMs milliseconds for an answer", async () => {
    double.fault = () => "hang";

    expect((await open({ url: double.url, apiKey: "key", timeoutMs: 1 })).error).toMatchObject({
      message:
        "The Qdrant server did not answer in time. A change may have been made: it is safe to repeat it. Raise timeoutMs to wait longer.",
    });
  });
});

describe("The warning of openQdrant", () => {
  const warning = ["warn", "The API key is sent without encryption. Use an address that begins with https://."];

  it.each([
    ["http://qdrant.invalid:1", "k", [warning]],
    ["http://127.evil.invalid:1", "k", [warning]],
    ["https://qdrant.invalid:1", "k", []],
    ["http://qdrant.invalid:1", undefined, []],
    ["http://localhost:1", "k", []],
    ["http://127.9.9.9:1", "k", []],
    ["http://[::1]:1", "k", []],
  ])("the warning of openQdrant for %s with the key %s is %j", async (url, apiKey, expected) => {
    // Written before the first request, whose end is not waited for.
    const { lines, error } = await open({ url, apiKey, timeoutMs: 1 });

    expect(lines).toEqual(expected);
    expect(error).toMatchObject({ code: "storage_unavailable" });
  });
});

it("A QdrantVectorStore is named in its errors, and connects at the first call alone", async () => {
  const double = await QdrantDouble.start();
  const store = new QdrantVectorStore({ url: double.url, dimensions: 2 });
  expect(double.requests).toEqual([]);
  await store.initialize();
  await store.initialize();
  expect(double.requests.map(({ path }) => path)).toEqual(["/", "/collections/troupe-models/exists"]);
  await store.close();
  await double.close();

  await expect(store.get("a")).rejects.toMatchObject({
    code: "storage_unavailable",
    message: "The Qdrant vector store has been closed.",
  });
});
