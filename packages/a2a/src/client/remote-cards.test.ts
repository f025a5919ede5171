import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readRemoteAgentOptions } from "./remote-agent-options.ts";
import { RemoteCards } from "./remote-cards.ts";
import type { RemoteHttp, RemoteRequest, WholeReply } from "./remote-http.ts";

const url = "https://far.example/a2a";
const card = { name: "helper", url };
const context = {} as Parameters<RemoteCards["endpoints"]>[0];
const { signal } = new AbortController();

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown };

/** Makes the cards of an agent whose server gives these replies one after the other, the last one again and again. */
function cardsOf(...replies: readonly Reply[]) {
  const requests: RemoteRequest[] = [];
  const whole = async (request: RemoteRequest): Promise<WholeReply> => {
    const { status = 200, headers = {}, body = card } = replies[requests.length] ?? replies.at(-1) ?? {};
    requests.push(request);
    return await Promise.resolve({ status, headers: new Headers(headers), text: JSON.stringify(body) });
  };
  const http = { whole, readHeaders: async () => await Promise.resolve(undefined), isTrusted: () => true };
  const cards = new RemoteCards(readRemoteAgentOptions({ url }), http as unknown as RemoteHttp);
  return { cards, requests };
}

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
    ["max-age=-1", 300_000],
    ["no-store", 300_000],
  ])("with the Cache-Control %s is used for %d ms", async (cacheControl, ms) => {
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
  ])("that is nowhere fails with the refusal of credentials, if there is one: %j", async (statuses, status) => {
    const { cards } = cardsOf(...statuses.map((each) => ({ status: each })));
    const failure = await cards.discover().catch((error: unknown) => error);
    expect(failure).toMatchObject(status === undefined ? { kind: "form" } : { kind: "status", status });
  });

  it("that has not changed stays, and is fetched by its tag", async () => {
    const { cards, requests } = cardsOf({ headers: { etag: '"1"' } }, { status: 304 }, { status: 304 });
    const endpoints = await cards.endpoints(context, signal);
    for (const _ of [1, 2]) {
      vi.setSystemTime(Date.now() + 300_000);
      expect(await cards.endpoints(context, signal)).toEqual(endpoints);
    }
    expect(requests.map(({ headers }) => (headers as Record<string, string>)["if-none-match"])).toEqual([
      undefined,
      '"1"',
      '"1"',
    ]);
  });
});
