import { describe, expect, it } from "vitest";
import { bodiesOf, gather, startVendor } from "../test/vendor.ts";
import { clientConnection, expectedMs, takesKey } from "./connection.ts";
import { anthropic } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];
const body = { model: "claude", max_tokens: 100, messages: ask };
const call = { providerId: "anthropic" };
const key = { value: "k", fromCaller: true };
const ended = { type: "message", content: [] };

/** A client that keeps what it was called with. */
function recorder(answer: unknown = ended) {
  const calls: unknown[][] = [];
  const create = async (...given: unknown[]) => {
    calls.push(given);
    return answer;
  };
  return { calls, connection: clientConnection({ messages: { create } }, 5000) };
}

describe("expectedMs", () => {
  it.each([
    [1, 29],
    [32, 900],
    [128_000, 3_600_000],
  ])("allows for %i tokens %i ms", (max_tokens, ms) => {
    expect(expectedMs({ version: "v", body: { ...body, max_tokens } })).toBe(ms);
  });
});

describe("takesKey", () => {
  class Anthropic {
    withOptions(): void {}
  }
  class AnthropicBedrock extends Anthropic {}

  it.each<[string, unknown, boolean]>([
    ["the SDK's own client", new Anthropic(), true],
    ["that of a cloud", new AnthropicBedrock(), false],
    ["one of old", { constructor: Anthropic }, false],
    ["a wrapper", { withOptions: () => undefined }, false],
    ["another name", { constructor: { name: "Anthropic" }, withOptions: () => undefined }, false],
    ["none", undefined, false],
  ])("tells if a key may be given to %s", (_, client, expected) => {
    expect(takesKey(client)).toBe(expected);
  });
});

describe("a client's connection", () => {
  const auth = { authorization: "Bearer k", "x-api-key": null, "api-key": null };
  const old = "2023-06-01";

  it.each<[string, object, object]>([
    ["nothing more", {}, {}],
    ["another version", { version: old }, { headers: { "anthropic-version": old } }],
    ["a key", { key }, { headers: auth }],
    ["both", { version: old, key }, { headers: { "anthropic-version": old, ...auth } }],
  ])("sends the body with %s", async (_, given, more) => {
    const { calls, connection } = recorder();
    const { version, ...context } = { version: "2026-10-21", ...call, ...given };

    expect(await connection.send({ version, body }, context)).toBe(ended);
    expect(calls).toEqual([[body, { maxRetries: 0, signal: expect.any(AbortSignal) as unknown, ...more }]]);
  });

  it("asks for a stream", async () => {
    const events = (async function* () {
      yield { type: "ping" };
    })();
    const { calls, connection } = recorder(events);
    const opened = await connection.open({ version: "2026-10-21", body }, call);

    expect(calls[0]?.[0]).toStrictEqual({ ...body, stream: true });
    expect((await Array.fromAsync(opened)).flat()).toEqual([{ type: "ping" }]);
  });

  it.each(["send", "open"] as const)("ends with the signal of the call: %s", async (way) => {
    const signals: AbortSignal[] = [];
    const create = (...given: unknown[]) => {
      signals.push((given[1] as { signal: AbortSignal }).signal);
      return new Promise<never>(() => undefined);
    };
    const abort = new AbortController();
    const connection = clientConnection({ messages: { create } }, 5000);
    const asked = connection[way]({ version: "v", body }, { ...call, signal: abort.signal });
    abort.abort(new Error("stopped"));

    await expect(asked).rejects.toBeInstanceOf(Error);
    expect(signals[0]?.aborted).toBe(true);
  });

  it("makes the vendor's error of one within a stream", async () => {
    const thrown = { error: { error: { type: "overloaded_error" } } };
    const create = () => Promise.reject(thrown);
    const connection = clientConnection({ messages: { create } }, 5000);

    for (const way of ["send", "open"] as const)
      await expect(connection[way]({ version: "v", body }, call)).rejects.toMatchObject({ status: 529 });
  });
});

describe("our own connection", () => {
  it.each([
    ["authorization", { keyHeader: "authorization" }, { authorization: "Bearer key-1" }],
    ["x-api-key", { keyHeader: "x-api-key" }, { "x-api-key": "key-1" }],
  ] as const)("sends the key as %s, whole and streamed", async (_, options, expected) => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.", "Yes.");
    const model = connect(undefined, options);
    await model.generate(ask, { maxTokens: 7 });
    await gather(model.stream(ask, { maxTokens: 7 }));

    expect(bodiesOf(vendor).map(({ stream }) => stream)).toEqual([false, true]);
    for (const { request } of vendor.exchanges) {
      const { authorization, "x-api-key": own, accept, "anthropic-version": version } = request.headers;
      expect({ authorization, "x-api-key": own }).toEqual(expected);
      expect([accept, version]).toEqual(["application/json", "2026-10-21"]);
    }
  });

  const silent = new Promise<never>(() => undefined);
  const halting = async () => await Promise.resolve(new Response(new ReadableStream({ pull: () => silent })));

  it.each<[string, () => Promise<Response>]>([
    ["does not begin", () => silent],
    ["stops on its way", halting],
  ])("gives up a stream that %s, however long its answer may be", async (_, fetch) => {
    const model = anthropic("claude-opus-5-5", { apiKey: "key-1", fetch, idleTimeoutMs: 15 });
    const { error } = await gather(model.stream(ask, { maxTokens: 20_000 }));

    expect(error).toMatchObject({ code: "timeout" });
  });

  it("gives up a whole answer that stops on its way", async () => {
    const model = anthropic("claude-opus-5-5", { apiKey: "key-1", fetch: halting, idleTimeoutMs: 15 });

    await expect(model.generate(ask, { maxTokens: 9 })).rejects.toMatchObject({ code: "timeout" });
  });

  it("reads an error as the vendor wrote it", async () => {
    const { vendor } = await startVendor();
    vendor.plan({ failure: { status: 429, retryAfterSeconds: 3 } });
    const model = anthropic("claude-opus-5-5", { apiKey: "key-1", baseURL: vendor.url });

    await expect(model.generate(ask)).rejects.toMatchObject({ status: 429, retryAfterMs: 3000 });
  });
});
