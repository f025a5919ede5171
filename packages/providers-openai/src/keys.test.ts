import { inspect } from "node:util";
import { CanarySearch } from "@troupe-internal/run-checker";
import { createLogger } from "@troupe/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { findKey } from "./find-key.ts";
import { openai, openaiEmbeddings } from "./index.ts";
import { failureOf, modelOf, question, startVendor, streamed } from "../test/ask.ts";

function stubEnvironment(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}

describe("the key of a call", () => {
  it("is that of the call before that of the configuration before that of the environment [model-config.api-key]", async () => {
    stubEnvironment({ OPENAI_API_KEY: "sk-environment" });
    const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
    const baseURL = `${vendor.url}/v1`;
    await openai("gpt-4.1", { baseURL, apiKey: "sk-config" }).generate(question, { apiKey: "sk-call" });
    await openai("gpt-4.1", { baseURL, apiKey: "sk-config" }).generate(question);

    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["sk-call", "sk-config"]);
    const [request, config] = [undefined, undefined];
    expect(findKey({ request, config, isOpenAI: true })).toEqual({ value: "sk-environment", fromCaller: false });
  });

  it("is sent from the environment only to OpenAI", async () => {
    stubEnvironment({ OPENAI_API_KEY: "sk-environment" });
    const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
    const baseURL = `${vendor.url}/v1`;
    await openai("llama-4", { baseURL }).generate(question);
    await openaiEmbeddings({ baseURL }).embed("Hi");

    expect(vendor.exchanges.map(({ request }) => request.headers["authorization"])).toEqual([undefined, undefined]);
  });

  it("is needed by OpenAI itself, and may be missing elsewhere", async () => {
    stubEnvironment({ OPENAI_API_KEY: "" });
    const vendor = (await startVendor()).say("Yes.");

    expect((await failureOf(openai("gpt-6.1-sol").generate(question))).message).toContain("x-openai-api-key");
    expect(await failureOf(streamed(openai("gpt-6.1-sol")))).toMatchObject({ code: "unauthorized" });
    await openai("llama-4", { baseURL: `${vendor.url}/v1` }).generate(question);
    expect(vendor.exchanges[0]?.request.headers).not.toHaveProperty("authorization");
  });

  it("is that of its own call when twenty go out at once, and stands nowhere else", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
    const vendor = await startVendor({ strict: false });
    vendor.respond(({ key = "" }) =>
      key.endsWith("7")
        ? { failure: { status: 401, message: `Bad key ${key}.` } }
        : { answer: `For ${key.slice(-2)}.` },
    );
    const model = modelOf(vendor, { logger });
    const embeddings = openaiEmbeddings({ baseURL: `${vendor.url}/v1` });
    const keys = Array.from({ length: 20 }, (_, index) => `sk-canary-8c1f04d2e7-${String(index).padStart(2, "0")}`);

    const outcomes = await Promise.all(
      keys.map(async (apiKey) => {
        const options = { apiKey, temperature: 0 };
        const messages = [{ role: "user" as const, content: `Who is ${apiKey.slice(-2)}?` }];
        const caught = (error: unknown) => error;
        const whole = await model.generate(messages, options).catch(caught);
        const pieces = await streamed(model, options, messages).catch(caught);
        return { whole, pieces, vector: await embeddings.embed(`I am ${apiKey.slice(-2)}.`, { apiKey }) };
      }),
    );

    const sent = vendor.exchanges.map(({ key, request }) => ({ key, body: JSON.stringify(request.body) }));
    for (const key of keys) expect(sent.filter((one) => one.key === key)).toHaveLength(3);
    for (const { key, body } of sent) expect(body).toMatch(new RegExp(`(?:is|am) ${key?.slice(-2)}[?.]`));
    const bodies = sent.map(({ body }) => body);
    const everything = inspect({ outcomes, lines, model, embeddings, bodies }, { depth: 12, showHidden: true });
    expect(new CanarySearch(keys).in(everything)).toEqual([]);
    expect(outcomes[3]?.whole).toMatchObject({ text: "For 03." });
    expect(outcomes[7]?.whole).toMatchObject({ code: "unauthorized", fields: { vendor: "openai" } });
  });

  it("is forgotten once a hundred others have come", async () => {
    const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
    const refused = { failure: { status: 400, message: "no response_format here" } };
    vendor.plan(refused);
    const model = modelOf(vendor, { api: "chat", modelId: "llama-4" });
    const responseFormat = { type: "json_schema", schema: {} } as const;
    for (let index = 0; index <= 101; index += 1)
      await model.generate(question, { apiKey: `sk-${index % 101}`, responseFormat });

    // The first key was told of the refusal; when it comes back, nothing is known of it any more.
    const [first, second, last] = [0, 1, -1].map((index) => vendor.exchanges.at(index)?.request.body);
    expect(first).toMatchObject({ response_format: { type: "json_schema" } });
    expect(second).toMatchObject({ response_format: { type: "json_object" } });
    expect(last).toMatchObject({ response_format: { type: "json_schema" } });
  });
});

it("takes nothing else from the environment", async () => {
  const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
  const ask = async () => {
    await modelOf(vendor).generate(question);
    await modelOf(vendor, { api: "chat" }).generate(question);
    await openaiEmbeddings({ apiKey: "sk-test-key", baseURL: `${vendor.url}/v1` }).embed("text");
    return vendor.exchanges.splice(0).map(({ request, key }) => ({ ...request, key }));
  };
  const before = await ask();
  stubEnvironment({
    OPENAI_API_KEY: "sk-nonsense",
    OPENAI_ADMIN_KEY: "sk-nonsense",
    OPENAI_BASE_URL: "http://127.0.0.1:1/nonsense",
    OPENAI_ORG_ID: "org-nonsense",
    OPENAI_PROJECT_ID: "proj-nonsense",
    OPENAI_WEBHOOK_SECRET: "nonsense",
    OPENAI_CUSTOM_HEADERS: "Authorization: Bearer nonsense\nUser-Agent: nonsense\nX-Nonsense: 1",
    OPENAI_LOG: "debug",
    HTTP_PROXY: "http://127.0.0.1:1",
    HTTPS_PROXY: "http://127.0.0.1:1",
    http_proxy: "http://127.0.0.1:1",
    NODE_USE_ENV_PROXY: "1",
  });

  expect(await ask()).toEqual(before);
  expect(before).toHaveLength(3);
});
