import { inspect } from "node:util";
import { TcpProxy } from "@troupe-internal/fault-tools";
import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { QdrantDouble } from "../test/qdrant-double.ts";
import type { DoubleFault } from "../test/qdrant-double.ts";
import { isMissing, QdrantFailures, statusOf } from "./qdrant-failure.ts";
import type { QdrantOptions } from "./qdrant-options.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";

const apiKey = "kEy-0123456789abcdef";
const document = { id: "a", content: "text", embedding: [1, 0] };

let double: QdrantDouble;
beforeEach(async () => void (double = await QdrantDouble.start({ apiKey })));
afterEach(async () => await double.close());

const openStore = (options: QdrantOptions = {}) => new QdrantVectorStore({ url: double.url, apiKey, ...options });
const failureOf = async (work: Promise<unknown>) =>
  await work.then(
    () => expect.fail("It did not fail."),
    (error: unknown) => error as Error,
  );

describe("QdrantVectorStore without its server", () => {
  it("fails as storage_unavailable, and works when the server is back [qdrant.outage]", async () => {
    const { port } = double;
    await double.close();
    const store = openStore({ url: `http://127.0.0.1:${port}` });
    const calls = [
      () => store.initialize(),
      () => store.upsert(document),
      () => store.search([1, 0]),
      () => store.get("a"),
      () => store.clear(),
      () => store.rememberModel("m"),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({
        code: "storage_unavailable",
        message: "The Qdrant server cannot be reached. Check url, and that the server is running.",
      });
    }
    double = await QdrantDouble.start({ apiKey }, port);
    await store.upsert(document);

    expect((await store.get("a"))?.content).toBe("text");
    await store.close();
  });

  it.each<[string, DoubleFault, RegExp]>([
    ["closes the connection", "cut", /lost the connection before it answered/],
    ["answers 429", { status: 429, headers: { "retry-after": "30" } }, /has too many requests/],
    ["answers 429 without a time", { status: 429 }, /has too many requests/],
    ["answers 500", { status: 500, body: '{"status":{"error":"panicked"}}' }, /failed\. See its log/],
    ["has a full disk", { status: 500, body: '{"status":{"error":"No space left on device"}}' }, /full disk/],
    ["answers 503", { status: 503, body: "<html>" }, /failed\. See its log/],
    ["answers 413", { status: 413 }, /max_request_size_mb/],
    ["answers 403", { status: 403 }, /refused the API key/],
    ["answers 404 as no Qdrant does", { status: 404, body: "<html>" }, /does not know the address/],
    ["answers 200 with a page", { status: 200, body: "<html>" }, /none of Qdrant's/],
    ["answers 200 with nothing", { status: 200, body: "" }, /none of Qdrant's/],
  ])("fails with a sentence of its own when the server %s, and works afterwards", async (_title, fault, sentence) => {
    const store = openStore();
    await store.upsert(document);
    double.fault = () => fault;
    for (const call of [() => store.search([1, 0]), () => store.upsert(document), () => store.get("a")]) {
      const error = await failureOf(call());
      expect(error).toMatchObject({ code: "storage_unavailable", message: expect.stringMatching(sentence) as string });
    }
    double.fault = () => undefined;

    expect(await store.search([1, 0])).toHaveLength(1);
    await store.close();
  });

  it("gives up after timeoutMs when the server does not answer [qdrant.timeout]", async () => {
    const store = openStore({ timeoutMs: 50 });
    double.fault = ({ path }) => (path.endsWith("/query") ? "hang" : undefined);

    await expect(store.search([1, 0])).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringMatching(/did not answer in time.*Raise timeoutMs/) as string,
    });
    await store.close();
  });

  it("fails when the connection is cut in the middle of a change, which can be repeated", async () => {
    const proxy = await TcpProxy.start({ target: { host: "127.0.0.1", port: double.port } });
    const store = openStore({ url: proxy.url });
    const documents = Array.from({ length: 3 }, (_, index) => ({ ...document, id: `d${index}` }));
    await store.upsert(document);
    double.beforeChange = async () => proxy.reset();
    await expect(store.write({ upsert: documents })).rejects.toMatchObject({ code: "storage_unavailable" });
    double.beforeChange = undefined;
    await store.write({ upsert: documents });

    expect(await store.search([1, 0])).toHaveLength(4);
    await store.close();
    await proxy.close();
  });

  it("refuses a server that is too old or is none of Qdrant's", async () => {
    const old = await QdrantDouble.start({ version: "1.15.5" });
    await expect(openStore({ url: old.url }).initialize()).rejects.toMatchObject({
      code: "invalid_config",
      message: "Qdrant must be of version 1.16 or later, got 1.15.",
    });
    double.fault = () => ({ status: 200, body: '{"title":"other"}' });

    await expect(openStore().initialize()).rejects.toMatchObject({ code: "storage_unavailable" });
    await old.close();
  });
});

describe("The API key of QdrantVectorStore", () => {
  it("is in no error, and a wrong one is told as such [qdrant.key]", async () => {
    const store = openStore({ apiKey: `${apiKey}x` });
    const error = await failureOf(store.initialize());
    double.fault = () => ({ status: 500, body: `{"status":{"error":"no header ${apiKey}x"}}` });
    const echoed = await failureOf(store.initialize());

    expect(error).toMatchObject({ code: "storage_unavailable", message: expect.stringMatching(/apiKey/) as string });
    for (const each of [error, echoed]) {
      expect([inspect(each, { depth: 20, showHidden: true }), each.stack].join()).not.toContain(apiKey);
    }
  });

  it("the API key of QdrantVectorStore over http makes no output of the library, and one warning unless the server is on this machine [qdrant.quiet]", async () => {
    const methods = ["log", "info", "warn", "error", "debug"] as const;
    const outputs = methods.map((method) => vi.spyOn(console, method).mockImplementation(() => {}));
    const warn = vi.fn<Logger["warn"]>();
    const store = openStore();
    await store.initialize();
    await store.upsert(document);
    const far = openStore({ url: "http://qdrant.invalid:6333", logger: { warn } as unknown as Logger });
    await failureOf(far.initialize());
    const called = outputs.flatMap((output) => output.mock.calls);
    for (const output of outputs) output.mockRestore();

    expect(called).toEqual([]);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/without encryption/)]]);
    await store.close();
  });
});

/** An error as Qdrant's library throws it. */
const thrown = (fields: object, message = "Failed", cause?: unknown): Error =>
  Object.assign(new Error(message, cause === undefined ? {} : { cause }), fields);
/** The body of an error of Qdrant. */
const saying = (error: unknown) => ({ data: { status: { error } } });

const ofTls = (code: string): [Error, RegExp] => [
  thrown({}, "fetch failed", thrown({ code })),
  /cannot be reached over TLS\. Check that url begins with https/,
];

describe("QdrantFailures", () => {
  const failures = new QdrantFailures(apiKey);
  const shown = (error: unknown): string => inspect(failures.from(error), { depth: 20, showHidden: true });

  it.each([170, 179, 180, 181, 190, 198, 199, 200, 201])(
    "hides a key that begins after %i characters of a text",
    (at) => {
      const text = `${"x".repeat(at)}${apiKey} and more`;
      for (const error of [
        thrown({}, text),
        thrown({ status: 500, ...saying(text) }),
        thrown({}, "outer", thrown({}, text)),
      ])
        expect(shown(error)).not.toContain(apiKey.slice(0, 3));
    },
  );

  it("keeps the first 200 characters of a text, which are the server's own where it sent some", () => {
    const causeOf = (error: Error) => (failures.from(error).cause as Error).message;
    for (const length of [199, 200]) {
      const text = "x".repeat(length);
      expect([causeOf(thrown({}, text)), causeOf(thrown(saying(text), "other"))]).toEqual([text, text]);
    }
    expect(causeOf(thrown(saying("x".repeat(201))))).toBe(`${"x".repeat(200)}…`);
  });

  it("copies name, code, status and at most four causes, and no other field", () => {
    let error = thrown({ name: "Fifth", code: "E5" }, "5");
    for (const depth of [4, 3, 2, 1])
      error = thrown({ name: `N${depth}`, code: `E${depth}`, secret: "x" }, `${depth}`, error);
    const first = failures.from(Object.assign(error, { status: 500, headers: { "api-key": apiKey } })).cause as Error;
    const causes = [];
    for (let cause: unknown = first; cause instanceof Error; { cause } = cause)
      causes.push([cause.name, cause.message, cause.stack, Object.fromEntries(Object.entries(cause))]);

    expect(causes).toEqual([
      ["N1", "1", "N1: 1", { code: "E1", status: 500 }],
      ["N2", "2", "N2: 2", { code: "E2" }],
      ["N3", "3", "N3: 3", { code: "E3" }],
      ["N4", "4", "N4: 4", { code: "E4" }],
    ]);
  });

  it("keeps a code that is a string alone, and returns a TroupeError as it is", () => {
    const own = new TroupeError("invalid_value", "Own.");

    expect(Object.keys(failures.from(thrown({ code: 7 })).cause as Error)).toEqual([]);
    expect(failures.from(own)).toBe(own);
  });

  it.each<[Error, RegExp]>([
    [thrown({ name: "QdrantClientTimeoutError" }), /did not answer in time/],
    [thrown({ name: "QdrantClientResourceExhaustedError" }), /too many requests/],
    [thrown({ status: 401 }), /refused the API key\. Check apiKey/],
    [thrown({ status: 403 }), /does not let it do this/],
    [thrown({ status: 404 }), /does not know the address/],
    [thrown({ status: 400 }), /refused a request\. Version 1\.16/],
    [thrown({ status: 422, ...saying("disk is full") }), /full disk/],
    [thrown({ status: 500, ...saying("not enough space") }), /full disk/],
    [thrown({ status: 499 }), /refused a request/],
    [thrown({ status: 500 }), /failed\. See its log/],
    [thrown({ code: "ENOTFOUND" }), /cannot be found\. Check the name/],
    [thrown({}, "fetch failed", thrown({ code: "EAI_AGAIN" })), /name server/],
    [thrown({}, "fetch failed", thrown({ code: "ECONNRESET" })), /lost the connection/],
    [thrown({}, "fetch failed", thrown({ code: "ECONNREFUSED" })), /cannot be reached\. Check url/],
    [thrown({}, "No space left on device"), /none of Qdrant's/],
    ...["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"].map(ofTls),
    ...["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_TLS_CERT_ALTNAME_INVALID"].map(ofTls),
    [thrown({}, "fetch failed", thrown({ code: "ERR_INVALID_ARG_TYPE" })), /none of Qdrant's/],
    [thrown({}, "fetch failed", thrown({ code: 7 })), /none of Qdrant's/],
  ])("says of %o that it %s", (error, sentence) => {
    expect(failures.from(error)).toMatchObject({ code: "storage_unavailable" });
    expect(failures.from(error).message).toMatch(sentence);
  });

  it.each<[object, boolean]>([
    [{ status: 404, ...saying("Not found: Collection `a` doesn't exist!") }, true],
    [{ status: 404, ...saying("") }, true],
    [{ status: 404 }, false],
    [{ status: 404, data: "<html>" }, false],
    [{ status: 404, data: null }, false],
    [{ status: 404, ...saying(7) }, false],
    [{ status: 400, ...saying("Not found") }, false],
    [{ ...saying("Not found") }, false],
  ])("tells a collection that does not exist from other errors: %j is one, %s", (fields, expected) => {
    expect(isMissing(thrown(fields))).toBe(expected);
  });

  it.each([
    [{ status: 503 }, 503],
    [{ status: "503" }, undefined],
    [{}, undefined],
    [{ name: "QdrantClientResourceExhaustedError" }, 429],
  ])("finds in %j the status %s", (fields, status) => {
    expect(statusOf(thrown(fields))).toBe(status);
  });
});

describe("The options of QdrantVectorStore", () => {
  it.each<[string, unknown]>([
    ["no address", "qdrant"],
    ["another scheme", "ftp://host"],
    ["a password", "http://user:hunter22@host"],
    ["a query", "http://host?apiKey=hunter22"],
    ["a number", 6333],
  ])("refuse a url with %s, without showing it", (_title, url) => {
    const create = () => new QdrantVectorStore({ url: url as string });

    expect(create).toThrow(expect.objectContaining({ code: "invalid_config" }));
    expect(create).not.toThrow(/hunter22/);
  });

  it("refuse a wrong apiKey, prefix, timeoutMs, dimensions or name", () => {
    const wrong = [
      { apiKey: "" },
      { apiKey: "a b" },
      { apiKey: "schlüssel" },
      { prefix: "a/b" },
      { prefix: "-a" },
      { prefix: "x".repeat(41) },
      { timeoutMs: 0 },
      { dimensions: 0 },
      { logger: {} },
      { host: "localhost" },
    ];
    for (const options of wrong)
      expect(() => new QdrantVectorStore(options as QdrantOptions), JSON.stringify(options)).toThrow(
        expect.objectContaining({ code: "invalid_config" }),
      );
  });

  it("take an address with a path, and one with a usual port", async () => {
    const store = openStore({ url: `${double.url}/behind/a/proxy/` });
    await failureOf(store.initialize());
    const secure = await failureOf(openStore({ url: "https://127.0.0.1:443" }).initialize());

    expect(double.requests.at(-1)?.path).toBe("/behind/a/proxy/");
    expect(inspect(secure)).toMatch(/:443/);
  });
});
