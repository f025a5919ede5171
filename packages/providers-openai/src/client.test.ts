import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openai, openaiEmbeddings } from "./index.ts";
import type { OpenAIClient, OpenAIOptions } from "./index.ts";
import { failureOf, modelOf, question, startVendor, streamed } from "../test/ask.ts";
import { conversation, looseTool, strictTool } from "../test/request-body.ts";

const apis = ["responses", "chat"] as const;

/** Creates the real client, which would retry twice and wait ten minutes by itself. */
function clientOf(vendor: FakeVendor): OpenAI {
  return new OpenAI({ apiKey: "sk-of-client", baseURL: `${vendor.url}/v1`, organization: null, project: null });
}

/** Creates a model over the client of OpenAI's SDK. */
function modelOver(client: OpenAIClient, { api = "responses", ...more }: OpenAIOptions = {}) {
  return openai(api === "chat" ? "gpt-4.1" : "gpt-6.1-sol", { client, api, ...more });
}

const calls: [title: string, options: ModelOptions, messages: ChatMessage[]][] = [
  ["a question", {}, question],
  ["tools, and a choice among them", { tools: [strictTool, looseTool], toolChoice: "required" }, conversation],
  ["a schema", { responseFormat: { type: "json_schema", schema: { type: "object", properties: {} } } }, question],
  ["settings of the call", { maxTokens: 50, temperature: 0.5, topP: 0.5, stop: ["END"] }, question],
  ["reasoning", { reasoning: { enabled: true, effort: "low" } }, question],
  ["an image", {}, [{ role: "user", content: [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }] }]],
];

describe.each(apis)("a model over the client of the SDK, with %s", (api) => {
  it.each(calls)(
    "sends what our own HTTP sends, and reads the same answer: %s [provider.client]",
    async (_, options, messages) => {
      const vendor = await startVendor();
      const answer = {
        text: '{"a":1}',
        toolCalls: options.tools ? [{ id: "c1", name: "get_weather", arguments: { city: "Oslo" } }] : [],
      };
      vendor.say(answer, answer, answer, answer);
      const [own, theirs] = [modelOf(vendor, { api }), modelOver(clientOf(vendor), { api })];

      const whole = [await own.generate(messages, options), await theirs.generate(messages, options)];
      const pieces = [await streamed(own, options, messages), await streamed(theirs, options, messages)];

      const bodies = vendor.exchanges.map(({ request }) => request.body);
      expect(bodies[1]).toEqual(bodies[0]);
      expect(bodies[3]).toEqual(bodies[2]);
      expect(
        vendor.exchanges.map(({ request }) => request.url).every((url) => url === vendor.exchanges[0]?.request.url),
      ).toBe(true);
      expect(withoutIds(whole[1])).toEqual(withoutIds(whole[0]));
      expect(withoutIds(pieces[1])).toEqual(withoutIds(pieces[0]));
    },
  );

  it("asks once, and tells a refusal as our own HTTP does [provider.client]", async () => {
    const vendor = await startVendor();
    vendor.respond(() => ({ failure: { status: 429, retryAfterSeconds: 7 } }));
    const model = modelOver(clientOf(vendor), { api });

    for (const failed of [model.generate(question), streamed(model)]) {
      expect(await failureOf(failed)).toMatchObject({
        code: "rate_limited",
        status: 429,
        retryAfterMs: 7000,
        vendorCode: "rate_limit_exceeded",
      });
    }
    expect(vendor.exchanges).toHaveLength(2);
  });

  it("ends the request when its reader leaves early, and when the signal aborts [provider.client]", async () => {
    const vendor = await startVendor();
    const long = { answer: "word ".repeat(2000), delivery: { pieceBytes: 200, pieceDelayMs: 5 } };
    vendor.plan(long, long, long);
    const model = modelOver(clientOf(vendor), { api });

    for await (const chunk of model.stream(question)) if (chunk.type === "text") break;
    const abort = new AbortController();
    const reading = failureOf(
      (async () => {
        for await (const chunk of model.stream(question, { signal: abort.signal }))
          if (chunk.type === "text") abort.abort();
      })(),
    );
    expect(await reading).toMatchObject({ code: "cancelled" });
    const leave = new AbortController();
    const whole = failureOf(model.generate(question, { signal: leave.signal }));
    await vi.waitFor(() => expect(vendor.exchanges).toHaveLength(3));
    leave.abort();
    expect(await whole).toMatchObject({ code: "cancelled" });

    await vi.waitFor(() => expect(vendor.exchanges.map(({ end }) => end)).toEqual(Array(3).fill("abandoned")));
  });

  it.each<[string, object | string]>([
    ["a body of no events", ""],
    ["an error with status 200", { error: { message: "No.", code: "server_error" } }],
    ["a page of HTML", "<html>No.</html>"],
  ])("fails on %s, where the SDK says nothing [provider.client]", async (_, body) => {
    const vendor = await startVendor();
    const isJson = typeof body === "object";
    const headers = { "content-type": isJson ? "application/json" : "text/html" };
    vendor.respond(() => ({ raw: { status: 200, headers, frames: [isJson ? JSON.stringify(body) : body] } }));
    const model = modelOver(clientOf(vendor), { api });

    expect(await failureOf(model.generate(question))).toMatchObject({ code: "model_failed" });
    expect(await failureOf(streamed(model))).toMatchObject({ code: "model_failed" });
  });

  it("looks for no key but its own and the caller's [provider.client] [provider.client-call-keys]", async () => {
    const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
    vi.stubEnv("OPENAI_API_KEY", "sk-canary");
    onTestFinished(() => void vi.unstubAllEnvs());
    const model = modelOver(clientOf(vendor), { api });

    await model.generate(question);
    await model.generate(question, { apiKey: "sk-callers" });
    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["sk-of-client", "sk-callers"]);
  });

  it("goes through a client that an instrumentation wrapped, with plain promises and generators [provider.client]", async () => {
    const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
    const client = clientOf(vendor);
    const seen: object[] = [];
    const wrap =
      (create: (body: never, options?: never) => PromiseLike<unknown>) => async (body: never, options?: never) => {
        seen.push(body);
        const result = await create(body, options);
        return Symbol.asyncIterator in (result as object) ? copy(result as AsyncIterable<unknown>) : result;
      };
    const wrapped = {
      chat: { completions: { create: wrap((body, options) => client.chat.completions.create(body, options)) } },
      responses: { create: wrap((body, options) => client.responses.create(body, options)) },
    };
    const model = modelOver(wrapped, { api });

    expect((await model.generate(question)).text).toBe("Yes.");
    expect(await streamed(model)).toContainEqual({ type: "text", text: "Yes." });
    expect(seen).toHaveLength(2);
  });
});

describe("the client of Azure", () => {
  it("gets the deployment for a model, over Chat Completions by default [provider.client]", async () => {
    const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
    const requests: string[] = [];
    const send = async (url: unknown, init?: RequestInit) => {
      requests.push(url as string);
      return await fetch(`${vendor.url}/v1/chat/completions`, init);
    };
    const options = { endpoint: "https://res.openai.azure.com", apiVersion: "2026-01-01", apiKey: "k", fetch: send };
    const model = openai("my-deployment", {
      client: new AzureOpenAI(options),
      rules: { maxTokensField: "max_tokens" },
    });

    expect((await model.generate(question)).text).toBe("Yes.");
    expect(requests).toEqual([
      "https://res.openai.azure.com/openai/deployments/my-deployment/chat/completions?api-version=2026-01-01",
    ]);
  });
});

describe("embeddings over the client of the SDK", () => {
  it("send what our own HTTP sends, once, and read the same vectors [provider.client]", async () => {
    const vendor = await FakeVendor.start({ strict: true, dimensions: 8 });
    onTestFinished(() => vendor.close());
    const own = openaiEmbeddings({ apiKey: "sk-1", baseURL: `${vendor.url}/v1`, dimensions: 8 });
    const theirs = openaiEmbeddings({ client: clientOf(vendor), dimensions: 8 });

    expect(await theirs.embedBatch(["rain", "sun"])).toEqual(await own.embedBatch(["rain", "sun"]));
    expect(vendor.exchanges[0]?.request.body).toEqual(vendor.exchanges[1]?.request.body);
  });
});

it.each<[string, object]>([
  ["apiKey", { apiKey: "sk-1" }],
  ["baseURL", { baseURL: "https://example.com/v1" }],
  ["headers", { headers: { a: "b" } }],
  ["fetch", { fetch }],
  ["proxy", { proxy: "http://127.0.0.1:9" }],
])("refuses %s beside a client, where it would have no effect [provider.client]", (name, options) => {
  const client = new OpenAI({ apiKey: "sk-1" });
  const expected = expect.objectContaining({
    code: "invalid_config",
    message: expect.stringMatching(`^${name} would`),
  });

  expect(() => openai("m", { client, ...options })).toThrow(expected);
});

it("the option client refuses a client without the methods that are called", () => {
  const make = () => openai("m", { client: {} as OpenAIClient });

  expect(make).toThrow("client must be a client of openai, with chat.completions.create and responses.create");
});

async function* copy(stream: AsyncIterable<unknown>): AsyncGenerator {
  yield* stream;
}

/** Leaves out ids, which the vendor makes anew, and metrics with times. */
function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value, (name, each: unknown) => (/^(?:id|responseId|item_id)$/.test(name) ? "id" : each));
  return JSON.parse(text);
}
