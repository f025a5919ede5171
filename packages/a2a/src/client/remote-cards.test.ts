import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RemoteEndpoint } from "./remote-endpoint.ts";
import { badForm, RemoteFailure } from "./remote-failure.ts";
import { readRemoteAgentOptions } from "./remote-agent-options.ts";
import { RemoteCards } from "./remote-cards.ts";
import type { RemoteHttp, RemoteRequest, WholeReply } from "./remote-http.ts";

const url = "https://far.example/a2a";
const card = { name: "helper", url };
const context = {} as Parameters<RemoteCards["endpoints"]>[0];
const { signal } = new AbortController();

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown; text?: string };

/** Makes the cards of an agent whose server gives these replies one after the other, the last one again and again. */
function cardsOf(...replies: readonly (Reply | Error)[]) {
  return cardsAt(url, ...replies);
}

/** Makes the cards of an agent at an address. A reply that is an error is thrown. */
function cardsAt(at: string, ...replies: readonly (Reply | Error)[]) {
  const requests: RemoteRequest[] = [];
  const contexts: unknown[] = [];
  const whole = async (request: RemoteRequest): Promise<WholeReply> => {
    const reply = replies[requests.length] ?? replies.at(-1) ?? {};
    requests.push(request);
    await Promise.resolve();
    if (reply instanceof Error) throw reply;
    const { status = 200, headers = {}, body = card, text = JSON.stringify(body) } = reply;
    return { status, headers: new Headers(headers), text };
  };
  const readHeaders = async (given: unknown): Promise<object> => {
    contexts.push(given);
    return await Promise.resolve({ "x-key": "k" });
  };
  const http = { whole, readHeaders, isTrusted: () => true } as unknown as RemoteHttp;
  const cards = new RemoteCards(readRemoteAgentOptions({ url: at }), http);
  const asked = (): string[] => requests.map((request) => request.url.href);
  return { cards, requests, contexts, asked };
}

const names = (endpoints: readonly RemoteEndpoint[]): string[] =>
  endpoints.map(({ at }) => `${at.url.pathname} ${at.binding} ${at.version}`);

describe("a card", () => {
  it.each([
    [undefined, 300_000],
    ["max-age=0", 60_000],
    ["max-age=60", 60_000],
    ["max-age=61", 61_000],
    ["public, Max-Age=3600", 3_600_000],
    ["s-maxage=900", 300_000],
    ["max-age=86400", 86_400_000],
    ["max-age=86401", 86_400_000],
    ["max-age=9999999999", 86_400_000],
    ["max-age=120, max-age=600", 120_000],
    ["max-age=-1", 300_000],
    ["no-store", 300_000],
  ])("a card with the Cache-Control %s is used for %d ms", async (cacheControl, ms) => {
    const headers = cacheControl === undefined ? {} : { "cache-control": cacheControl };
    const { cards, requests } = cardsOf({ headers });
    await cards.endpoints(context, signal);
    vi.setSystemTime(Date.now() + ms - 1);
    await cards.endpoints(context, signal);
    expect(requests).toHaveLength(1);
    vi.setSystemTime(Date.now() + 1);
    await cards.endpoints(context, signal);
    expect(requests).toHaveLength(2);
  });

  it("is asked for at each of its addresses until one has it", async () => {
    const { cards, requests } = cardsOf({ status: 404 }, { status: 404 }, { status: 404 }, {});
    expect(await cards.discover()).toMatchObject({ name: "helper" });
    expect(requests.map((request) => request.url.pathname)).toEqual([
      "/a2a/.well-known/agent-card.json",
      "/a2a/.well-known/agent.json",
      "/.well-known/agent-card.json",
      "/.well-known/agent.json",
    ]);
  });

  it.each([
    [[401, 404, 404, 404], 401],
    [[404, 403, 404, 404], 403],
    [[404, 404, 404, 401], 401],
    [[401, 403, 404, 404], 401],
    [[404, 500, 404, 404], undefined],
  ])("a card that is nowhere fails with the refusal of credentials, if there is one: %j", async (statuses, status) => {
    const { cards } = cardsOf(...statuses.map((each) => ({ status: each })));
    const failure = await cards.discover().catch((error: unknown) => error);
    expect(failure).toMatchObject(status === undefined ? { kind: "form" } : { kind: "status", status });
  });

  it("a card that has not changed stays, and is fetched by its tag", async () => {
    const { cards, requests } = cardsOf({ headers: { etag: '"1"' } }, { status: 304 }, { status: 304 });
    const endpoints = await cards.endpoints(context, signal);
    for (const _ of [1, 2]) {
      vi.setSystemTime(Date.now() + 300_000);
      expect(await cards.endpoints(context, signal)).toEqual(endpoints);
      vi.setSystemTime(Date.now() + 299_999);
      await cards.endpoints(context, signal);
      vi.setSystemTime(Date.now() - 299_999);
    }
    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', '"1"']);
  });

  const wellKnown = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
  const under = (...folders: string[]): string[] =>
    folders.flatMap((folder) => wellKnown.map((name) => `https://far.example${folder}${name}`));
  it.each([
    ["https://far.example", under("")],
    ["https://far.example/", under("")],
    ["https://far.example/a/b//", under("/a/b", "")],
    ["https://far.example/a?b=c", under("/a", "").map((each) => `${each}?b=c`)],
    ["https://far.example/a/card.json", ["https://far.example/a/card.json"]],
    ["https://far.example/card.JSON", under("/card.JSON", "")],
  ])("a card of an agent at %s is asked for at these addresses: %j", async (at, addresses) => {
    const { cards, asked } = cardsAt(at, { status: 404 });
    await expect(cards.discover()).rejects.toMatchObject({ kind: "form" });
    expect(asked()).toEqual(addresses);
  });

  it("is asked for with the user's headers for the run, or for none, and with those of its own", async () => {
    const { cards, requests, contexts } = cardsOf({});
    expect(cards.card).toBeUndefined();
    await cards.endpoints(context, signal);
    await cards.discover();
    expect(contexts).toEqual([context, undefined]);
    expect(contexts[0]).toBe(context);
    const request = {
      method: "GET",
      url: new URL(`${url}/.well-known/agent-card.json`),
      headers: { accept: "application/json", "a2a-version": "1.0" },
      users: { "x-key": "k" },
      signal: expect.any(AbortSignal) as AbortSignal,
    };
    expect(requests).toStrictEqual([request, request]);
    expect(requests.map((each) => each.signal === signal)).toEqual([false, false]);
    expect(cards.card).toEqual(card);
  });

  it("is fetched anew from the address that had it, and then from the others", async () => {
    const { cards, asked } = cardsOf({ status: 404 }, { headers: { etag: '"1"' } }, { status: 410 }, {});
    await cards.discover();
    await cards.discover();
    const [first, second] = under("/a2a", "");
    expect(asked()).toEqual([first, second, second, first]);
  });

  it("has its tag sent to its own address alone", async () => {
    const { cards, requests } = cardsOf(
      { headers: { etag: '"1"' } },
      { status: 404 },
      { status: 404 },
      { status: 304 },
    );
    await cards.discover();
    const failure = await cards.discover().catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "form", cause: { kind: "status", status: 304 } });
    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      '"1"',
      '"1"',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("takes the place of the one before, with its endpoints and its tag", async () => {
    const streaming = { ...card, name: "second", url: "/b", capabilities: { streaming: true } };
    const tagged = { headers: { etag: '"1"' } };
    const { cards, requests } = cardsOf(tagged, { headers: { etag: 'W/"2"' }, body: streaming }, { body: card });
    const first = await cards.endpoints(context, signal);
    vi.setSystemTime(Date.now() + 300_000);
    const second = await cards.endpoints(context, signal);
    await cards.discover();
    await cards.discover();
    expect([first, second].map((each) => [each[0]?.at.url.pathname, each[0]?.streams])).toEqual([
      ["/a2a", false],
      ["/b", true],
    ]);
    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', 'W/"2"', undefined]);
    expect(cards.card).toEqual(card);
  });
});

describe("a card that cannot be had", () => {
  const noCard = "has no card at its URL, nor at its origin. Set url to the address of the card";
  const notACard = "sent a card that is not a JSON object with a name";
  it.each<[string, Reply[], string, number]>([
    ["no address has", [{ status: 404 }], noCard, 4],
    ["no address has, and whose server fails", [{ status: 404 }, { status: 503 }], noCard, 4],
    ["is empty with another status", [{ status: 204 }], noCard, 4],
    ["is not JSON", [{ text: "<html>" }], notACard, 4],
    ["is an array", [{ body: [card] }], notACard, 4],
    ["has a blank name", [{ body: { ...card, name: " " } }], notACard, 4],
    ["is not JSON, and not there at the last address", [{ text: "" }, { status: 404 }], noCard, 4],
    ["is not JSON at the last address", [{ status: 404 }, { status: 404 }, { status: 404 }, { text: "" }], notACard, 4],
  ])("%s is told so", async (...[, replies, happened, count]) => {
    const { cards, requests } = cardsOf(...replies);
    await expect(cards.endpoints(context, signal)).rejects.toMatchObject({ kind: "form", happened });
    expect(requests).toHaveLength(count);
    expect(cards.card).toBeUndefined();
  });

  it.each([
    new RemoteFailure("unreachable", { happened: "cannot be reached" }),
    new RemoteFailure("timeout", { happened: "did not answer in time" }),
    new TypeError("broken"),
  ])("is not asked for elsewhere after %o", async (thrown) => {
    const { cards, requests } = cardsOf({ status: 404 }, thrown);
    await expect(cards.discover()).rejects.toBe(thrown);
    expect(requests).toHaveLength(2);
  });

  it.each([
    new RemoteFailure("redirect", { happened: "answered with a redirect", status: 301 }),
    badForm("sent more than 1024 bytes"),
  ])("is asked for elsewhere after %o, which is told where it is the last", async (thrown) => {
    expect(await cardsOf(thrown, {}).cards.discover()).toEqual(card);
    await expect(cardsOf({ status: 404 }, thrown).cards.discover()).rejects.toBe(thrown);
  });

  it("stays in use for 60 seconds, and is then asked for again", async () => {
    const gone = new RemoteFailure("unreachable", { happened: "cannot be reached" });
    const { cards, requests } = cardsOf({}, gone, gone, {});
    const endpoints = await cards.endpoints(context, signal);
    const counts: number[] = [];
    for (const ms of [300_000, 59_999, 1, 60_000, 299_999]) {
      vi.setSystemTime(Date.now() + ms);
      expect(names(await cards.endpoints(context, signal))).toEqual(names(endpoints));
      counts.push(requests.length);
    }
    expect(counts).toEqual([2, 2, 3, 4, 4]);
  });

  it("fails the run that asked for it first, and is asked for again by the next", async () => {
    const gone = new RemoteFailure("unreachable", { happened: "cannot be reached" });
    const { cards } = cardsOf(gone, {});
    await expect(cards.endpoints(context, signal)).rejects.toBe(gone);
    expect(await cards.endpoints(context, signal)).toHaveLength(2);
  });

  it("is not waited for by a run that has ended, though an old one is known, and others get it", async () => {
    const { cards, requests } = cardsOf({}, {});
    await cards.endpoints(context, signal);
    vi.setSystemTime(Date.now() + 300_000);
    const abort = new AbortController();
    const asking = cards.endpoints(context, abort.signal);
    const other = cards.endpoints(context, signal);
    abort.abort();
    await expect(asking).rejects.toMatchObject({ code: "cancelled" });
    expect(await other).toHaveLength(2);
    expect(requests).toHaveLength(2);
  });
});

describe("the endpoints of a card", () => {
  const supportedInterfaces = ["/a", "/b"].map((path) => ({
    url: path,
    protocolBinding: "JSONRPC",
    protocolVersion: "1.0",
  }));
  it("begin with the one that took the last call, also behind a card that was fetched anew", async () => {
    const { cards } = cardsOf({ body: { name: "helper", supportedInterfaces } });
    const first = await cards.endpoints(context, signal);
    const [a1, b1, a0, b0] = ["/a JSONRPC 1.0", "/b JSONRPC 1.0", "/a JSONRPC 0.3", "/b JSONRPC 0.3"];
    expect(names(first)).toEqual([a1, b1, a0, b0]);
    for (const [index, order] of [
      [3, [b0, a1, b1, a0]],
      [1, [b1, a1, a0, b0]],
      [0, [a1, b1, a0, b0]],
      [2, [a0, a1, b1, b0]],
    ] as const) {
      const endpoint = first[index];
      if (endpoint !== undefined) cards.note(endpoint);
      expect(names(await cards.endpoints(context, signal))).toEqual(order);
      vi.setSystemTime(Date.now() + 300_000);
      expect(names(await cards.endpoints(context, signal))).toEqual(order);
    }
  });
});
