import { describe, expect, it } from "vitest";
import { modelOf, question, startVendor, streamed } from "../test/ask.ts";
import { openaiVendor } from "./vendor.ts";
import { clientConnection, clientOptions, keySourcesOf, takesKey, toUrl } from "./connection.ts";

const call = { providerId: "openai" };
const key = { value: "k", fromCaller: true };
const { signal } = new AbortController();

it.each([
  ["https://api.openai.com/v1", false],
  ["https://eu.api.openai.com/v1", false],
  ["https://api.openai.com.example/v1", true],
  ["http://localhost:1234/v1", true],
])("the connection takes the key for %s from the right place", (url, isForeign) => {
  expect(keySourcesOf(openaiVendor, new URL(url).hostname)).toEqual({
    providerId: "openai",
    environment: ["OPENAI_API_KEY"],
    isForeign,
  });
});

it.each([
  ["https://a.example/v1", "https://a.example/v1/chat"],
  ["https://a.example/v1//", "https://a.example/v1/chat"],
  ["https://a.example", "https://a.example/chat"],
  ["https://a.example/v1?api-version=2#x", "https://a.example/v1/chat?api-version=2"],
])("the connection puts a path behind %s", (baseURL, expected) => {
  expect(toUrl(baseURL, "/chat")).toBe(expected);
});

it("the connection gives a client the key of the call in place of its own, and no retries", () => {
  expect(clientOptions(call, signal)).toStrictEqual({ maxRetries: 0, signal });
  expect(clientOptions({ ...call, key }, signal)).toStrictEqual({
    maxRetries: 0,
    signal,
    headers: {
      authorization: "Bearer k",
      "api-key": null,
      "x-api-key": null,
      "openai-organization": null,
      "openai-project": null,
    },
  });
});

describe("takesKey", () => {
  class OpenAI {
    withOptions(): void {}
  }
  class AzureOpenAI extends OpenAI {}

  it.each<[string, unknown, boolean]>([
    ["the SDK's own client", new OpenAI(), true],
    ["Azure's", new AzureOpenAI(), false],
    ["that of a cloud", Object.assign(new OpenAI(), { _provider: "aws" }), false],
    ["one with an identity", Object.assign(new OpenAI(), { _workloadIdentityAuth: {} }), false],
    ["one without either", Object.assign(new OpenAI(), { _provider: undefined, _workloadIdentityAuth: null }), true],
    ["one of old", { constructor: OpenAI }, false],
    ["a wrapper", { withOptions: () => undefined }, false],
    ["none", undefined, false],
  ])("tells if a key may be given to %s", (_, client, expected) => {
    expect(takesKey(client)).toBe(expected);
  });
});

describe("a client's connection", () => {
  const body = { model: "m" };
  const waits = { timeoutMs: 5000, idleTimeoutMs: 5000 };

  /** A client that keeps what each API was called with. */
  function recorder(answer: () => Promise<unknown>) {
    const calls: unknown[][] = [];
    const create =
      (api: string) =>
      (...given: unknown[]) => {
        calls.push([api, ...given]);
        return answer();
      };
    const client = { responses: { create: create("responses") }, chat: { completions: { create: create("chat") } } };
    return { calls, connection: clientConnection(client, waits) };
  }

  it.each(["responses", "chat"] as const)("sends a request to its own API: %s", async (api) => {
    const answer = { id: "a" };
    const { calls, connection } = recorder(async () => answer);

    expect(await connection.send({ api, body }, call)).toBe(answer);
    expect(calls).toEqual([[api, body, { maxRetries: 0, signal: expect.any(AbortSignal) as unknown }]]);
  });

  it.each(["responses", "chat"] as const)("opens a stream of %s", async (api) => {
    const { calls, connection } = recorder(async () =>
      (async function* () {
        yield { id: "a" };
      })(),
    );

    expect((await Array.fromAsync(await connection.open({ api, body }, { ...call, key }))).flat()).toEqual([
      { id: "a" },
    ]);
    expect(calls).toMatchObject([[api, body, { headers: { authorization: "Bearer k" } }]]);
  });

  it.each(["send", "open"] as const)("ends with the signal of the call, and after its time: %s", async (way) => {
    const signals: AbortSignal[] = [];
    const create = (...given: unknown[]) => {
      signals.push((given[1] as { signal: AbortSignal }).signal);
      return new Promise<never>(() => undefined);
    };
    const client = { responses: { create }, chat: { completions: { create } } };
    const abort = new AbortController();
    const asked = clientConnection(client, waits)[way]({ api: "chat", body }, { ...call, signal: abort.signal });
    abort.abort(new Error("stopped"));

    await expect(asked).rejects.toBeInstanceOf(Error);
    expect(signals[0]?.aborted).toBe(true);
    const short = { timeoutMs: way === "send" ? 5 : 5000, idleTimeoutMs: way === "open" ? 5 : 5000 };
    await expect(clientConnection(client, short)[way]({ api: "responses", body }, call)).rejects.toBeInstanceOf(Error);
  });

  it("makes the vendor's error of one within a stream", async () => {
    const thrown = { error: { code: "rate_limit_exceeded" } };
    const { connection } = recorder(() => Promise.reject(thrown));

    for (const way of ["send", "open"] as const)
      await expect(connection[way]({ api: "chat", body }, call)).rejects.toMatchObject({ status: 429 });
  });
});

it.each([
  ["responses", "/v1/responses"],
  ["chat", "/v1/chat/completions"],
] as const)("the connection sends %s to %s with the key, whole and streamed", async (api, path) => {
  const vendor = (await startVendor()).say("Yes.", "Yes.");
  await modelOf(vendor, { api }).generate(question);
  await streamed(modelOf(vendor, { api }));

  expect(vendor.exchanges.map(({ request }) => [request.url, request.headers["authorization"]])).toEqual([
    [path, "Bearer sk-test-key"],
    [path, "Bearer sk-test-key"],
  ]);
  expect(vendor.exchanges[0]?.request.headers["accept"]).toBe("application/json, text/event-stream");
});
