import { describe, expect, it } from "vitest";
import { interfacesOf } from "./remote-interfaces.ts";
import type { RemoteInterface } from "./remote-interfaces.ts";

const cardUrl = new URL("https://agents.example/.well-known/agent-card.json");
const baseUrl = new URL("https://agents.example/base");

type Fields = Readonly<Record<string, unknown>>;

const toLine = ({ url, binding, version, tenant }: RemoteInterface): string =>
  [version, binding, url.href, ...(tenant === undefined ? [] : [`of ${tenant}`])].join(" ");

/** Lists the interfaces of a card, one line each, in the order in which they are tried. */
const linesOf = (fields: Fields, base = baseUrl): string[] =>
  interfacesOf({ name: "a", ...fields }, cardUrl, base).map(toLine);

/** An entry of `supportedInterfaces`. */
const entry = (url: unknown, more: Fields = {}): Fields => ({ url, protocolBinding: "JSONRPC", ...more });
const rest = { protocolBinding: "HTTP+JSON" };

describe("interfaces of a card of A2A 1.0", () => {
  it("are tried in the order of the card, then at the same addresses in the other version", () => {
    const lines = linesOf({ supportedInterfaces: [entry("https://b.example/rpc"), entry("https://a.example/rpc")] });

    expect(lines).toEqual([
      "1.0 JSONRPC https://b.example/rpc",
      "1.0 JSONRPC https://a.example/rpc",
      "0.3 JSONRPC https://b.example/rpc",
      "0.3 JSONRPC https://a.example/rpc",
    ]);
  });

  it("are tried newest first, and an older one keeps its own version", () => {
    const lines = linesOf({
      supportedInterfaces: [
        entry("https://a.example/2", { protocolVersion: "0.2" }),
        entry("https://a.example/3", { protocolVersion: "0.3.0" }),
        entry("https://a.example/1", { protocolVersion: "1.0" }),
      ],
    });

    expect(lines).toEqual([
      "1.0 JSONRPC https://a.example/1",
      "0.2 JSONRPC https://a.example/2",
      "0.3 JSONRPC https://a.example/3",
      "0.3 JSONRPC https://a.example/1",
      "1.0 JSONRPC https://a.example/2",
      "1.0 JSONRPC https://a.example/3",
    ]);
  });

  it("keep each binding of one address, and each of two addresses", () => {
    const at = "https://a.example/";
    const lines = [
      linesOf({ supportedInterfaces: [entry(at), entry(at, rest)] }),
      linesOf({ supportedInterfaces: [entry(at, rest), entry(at)] }),
      linesOf({ supportedInterfaces: [entry(at, rest), entry(`${at}v1`, rest)] }),
    ];

    expect(lines).toEqual([
      ["1.0 JSONRPC https://a.example/", "1.0 HTTP+JSON https://a.example/", "0.3 JSONRPC https://a.example/"],
      ["1.0 HTTP+JSON https://a.example/", "1.0 JSONRPC https://a.example/", "0.3 JSONRPC https://a.example/"],
      ["1.0 HTTP+JSON https://a.example/", "1.0 HTTP+JSON https://a.example/v1"],
    ]);
  });

  it("keep their tenant, in the other version too", () => {
    const lines = linesOf({
      supportedInterfaces: [
        entry("https://a.example/rpc", { tenant: "acme" }),
        entry("https://a.example/rest", { ...rest, tenant: "Zoë" }),
        entry("https://a.example/old", { protocolVersion: "0.3", tenant: "umbrella" }),
        entry("https://a.example/empty", { tenant: "" }),
        entry("https://a.example/number", { tenant: 7 }),
      ],
    });

    expect(lines).toEqual([
      "1.0 JSONRPC https://a.example/rpc of acme",
      "1.0 HTTP+JSON https://a.example/rest of Zoë",
      "1.0 JSONRPC https://a.example/empty",
      "1.0 JSONRPC https://a.example/number",
      "0.3 JSONRPC https://a.example/old of umbrella",
      "0.3 JSONRPC https://a.example/rpc of acme",
      "0.3 JSONRPC https://a.example/empty",
      "0.3 JSONRPC https://a.example/number",
    ]);
  });

  it("are tried once each, 0.2 and 0.3 counting as one, the first as it is", () => {
    const at = "https://a.example/rpc";
    const lines = linesOf({
      supportedInterfaces: [
        entry(at, { tenant: "first" }),
        entry(at, { tenant: "second" }),
        entry(at, { protocolVersion: "0.2" }),
        entry(at, { protocolVersion: "0.3" }),
      ],
    });

    expect(lines).toEqual([`1.0 JSONRPC ${at} of first`, `0.2 JSONRPC ${at}`]);
  });

  it.each([
    [7, 8],
    [8, 8],
    [9, 8],
  ])("%i of them give at most %i calls, the first ones", (count, most) => {
    const supportedInterfaces = Array.from({ length: count }, (_, index) => entry(`https://a.example/${index}`));
    const lines = linesOf({ supportedInterfaces });

    expect(lines).toHaveLength(most);
    expect(lines.slice(0, 7)).toEqual(supportedInterfaces.slice(0, 7).map(({ url }) => `1.0 JSONRPC ${String(url)}`));
  });

  it.each<[string, Fields, string[]]>([
    ["a binding in other letters", entry("/x", { protocolBinding: "JsonRpc" }), ["1.0 JSONRPC", "0.3 JSONRPC"]],
    ["HTTP+JSON in other letters", entry("/x", { protocolBinding: "http+json" }), ["1.0 HTTP+JSON"]],
    ["HTTP+JSON of an older version", entry("/x", { ...rest, protocolVersion: "0.3" }), []],
    ["gRPC", entry("/x", { protocolBinding: "GRPC" }), []],
    ["no binding", { url: "/x" }, []],
    ["a version of another kind", entry("/x", { protocolVersion: 1 }), ["1.0 JSONRPC", "0.3 JSONRPC"]],
  ])("are those of this client's bindings: %s", (_title, given, expected) => {
    // Beside one that can be called, so that none is assumed.
    const other = { url: "https://b.example/rest", ...rest };
    const supportedInterfaces = [null, "https://text.example", [], given, other];
    const lines = linesOf({ supportedInterfaces }).filter((line) => !line.includes("b.example"));

    expect(lines).toEqual(expected.map((start) => `${start} https://agents.example/x`));
  });
});

describe("versions of a card", () => {
  it.each([
    ["1.0", "1.0"],
    ["1", "1.0"],
    ["1.7.3", "1.0"],
    ["v1.0", "1.0"],
    [" V1 ", "1.0"],
    ["", "1.0"],
    ["0.3", "0.3"],
    ["0.3.0", "0.3"],
    ["v0.4", "0.3"],
    ["0.25", "0.3"],
    ["0.2", "0.2"],
    ["0.2.6", "0.2"],
    ["0.1", "0.2"],
    ["10.0", undefined],
    ["2.0", undefined],
    ["0", undefined],
    ["latest", undefined],
    ["is 1.0", undefined],
  ])("%j is spoken as %s", (protocolVersion, spoken) => {
    const other = { url: "https://b.example/", ...rest };
    const [found] = interfacesOf(
      { name: "a", supportedInterfaces: [entry("/x", { protocolVersion }), other] },
      cardUrl,
      baseUrl,
    ).filter(({ url }) => url.pathname === "/x");

    expect(found?.version).toBe(spoken);
  });
});

describe("interfaces of a card of A2A 0.x", () => {
  it("are the main one and the additional ones that speak JSON-RPC, in the version of the card", () => {
    const lines = linesOf({
      protocolVersion: "0.3.0",
      url: "https://a.example/main",
      preferredTransport: "JSONRPC",
      additionalInterfaces: [
        { url: "https://a.example/rest", transport: "HTTP+JSON" },
        { url: "https://a.example/grpc", transport: "GRPC" },
        { url: "https://a.example/second", transport: "jsonrpc" },
        { url: "https://a.example/main", transport: "JSONRPC" },
        { url: "https://a.example/plain" },
        null,
      ],
    });

    expect(lines).toEqual([
      "0.3 JSONRPC https://a.example/main",
      "0.3 JSONRPC https://a.example/second",
      "0.3 JSONRPC https://a.example/plain",
      "1.0 JSONRPC https://a.example/main",
      "1.0 JSONRPC https://a.example/second",
      "1.0 JSONRPC https://a.example/plain",
    ]);
  });

  it("leave out a main one of another transport", () => {
    const additionalInterfaces = [{ url: "https://a.example/rpc", transport: "JSONRPC" }];
    const lines = linesOf({ url: "https://a.example/grpc", preferredTransport: "GRPC", additionalInterfaces });

    expect(lines).toEqual(["0.2 JSONRPC https://a.example/rpc", "1.0 JSONRPC https://a.example/rpc"]);
  });

  it("come after those of 1.0 on the same card", () => {
    const lines = linesOf({
      protocolVersion: "0.3",
      url: "https://a.example/old",
      supportedInterfaces: [entry("https://a.example/new")],
    });

    expect(lines).toEqual([
      "1.0 JSONRPC https://a.example/new",
      "0.3 JSONRPC https://a.example/old",
      "0.3 JSONRPC https://a.example/new",
      "1.0 JSONRPC https://a.example/old",
    ]);
  });

  it.each<[string, Fields]>([
    ["names none", {}],
    ["has null in place of lists", { supportedInterfaces: null, additionalInterfaces: null, url: null }],
    ["has an object in place of a list", { supportedInterfaces: entry("https://b.example") }],
    ["names an unknown version alone", { url: "https://b.example", protocolVersion: "7.0" }],
  ])("are the configured address, if the card %s", (_title, fields) => {
    expect(linesOf(fields)).toEqual([
      "0.3 JSONRPC https://agents.example/base",
      "1.0 JSONRPC https://agents.example/base",
    ]);
  });
});

describe("addresses of a card", () => {
  it.each<[unknown, string | undefined]>([
    ["https://b.example/rpc", "https://b.example/rpc"],
    ["http://b.example", "http://b.example/"],
    [" https://b.example/rpc ", "https://b.example/rpc"],
    ["rpc", "https://agents.example/.well-known/rpc"],
    ["/rpc?x=1", "https://agents.example/rpc?x=1"],
    ["//b.example/rpc", "https://b.example/rpc"],
    ["ftp://b.example/", undefined],
    ["file:///etc/passwd", undefined],
    ["javascript:alert(1)", undefined],
    ["https://ada@b.example/", undefined],
    ["https://:secret@b.example/", undefined],
    ["https://[", undefined],
    ["", undefined],
    [7, undefined],
    [null, undefined],
  ])("%j is called as %s", (url, called) => {
    const supportedInterfaces = [entry(url), { url: "https://other.example/", ...rest }];
    const [found] = interfacesOf({ name: "a", supportedInterfaces }, cardUrl, baseUrl).filter(
      ({ binding }) => binding === "JSONRPC",
    );

    expect(found?.url.href).toBe(called);
  });

  it.each([
    ["http://0.0.0.0:4000/rpc", "http://127.0.0.1:4000/", "http://127.0.0.1:4000/rpc"],
    ["http://localhost:4000/rpc", "http://127.0.0.1:4000/", "http://127.0.0.1:4000/rpc"],
    ["http://[::]:4000/rpc", "http://localhost:4000/", "http://localhost:4000/rpc"],
    ["http://[::1]:4000/rpc?a=b", "http://localhost:4000/", "http://localhost:4000/rpc?a=b"],
    ["http://127.9.9.9:4000/rpc", "http://localhost:4000/", "http://localhost:4000/rpc"],
    ["http://localhost:4000/rpc", "http://[::1]:4000/", "http://[::1]:4000/rpc"],
    // Another port or scheme is another server.
    ["http://0.0.0.0:4001/rpc", "http://127.0.0.1:4000/", "http://0.0.0.0:4001/rpc"],
    ["https://0.0.0.0:4000/rpc", "http://127.0.0.1:4000/", "https://0.0.0.0:4000/rpc"],
    // Only names of this machine stand for one another.
    ["http://0.0.0.0:4000/rpc", "http://agents.example:4000/", "http://0.0.0.0:4000/rpc"],
    ["http://10.0.0.1:4000/rpc", "http://127.0.0.1:4000/", "http://10.0.0.1:4000/rpc"],
    ["http://localhost.example:4000/rpc", "http://127.0.0.1:4000/", "http://localhost.example:4000/rpc"],
    ["http://127.0.0.1.example:4000/rpc", "http://localhost:4000/", "http://127.0.0.1.example:4000/rpc"],
  ])("%s on a card of %s is called as %s", (url, base, called) => {
    const found = interfacesOf({ name: "a", supportedInterfaces: [entry(url)] }, cardUrl, new URL(base));

    expect(found.map((each) => each.url.href)).toEqual([called, called]);
  });

  it("count as one address under two names of this machine", () => {
    const supportedInterfaces = [entry("http://0.0.0.0:4000/"), entry("http://localhost:4000/")];
    const lines = linesOf({ supportedInterfaces }, new URL("http://127.0.0.1:4000/"));

    expect(lines).toEqual(["1.0 JSONRPC http://127.0.0.1:4000/", "0.3 JSONRPC http://127.0.0.1:4000/"]);
  });
});
