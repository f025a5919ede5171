import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { FakeVendor } from "./fake-vendor.ts";

let vendor: FakeVendor;

beforeEach(async () => {
  vendor = await FakeVendor.start();
});
afterEach(() => vendor.close());

async function ask(path = "/v1/chat/completions", body: object = { model: "m" }): Promise<Response> {
  const headers = { authorization: "Bearer key-1", "content-type": "application/json" };
  return await fetch(`${vendor.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function contentOf(response: Response): Promise<string> {
  const answer = (await response.json()) as { choices: { message: { content: string } }[] };
  return answer.choices[0]?.message.content ?? "";
}

describe("FakeVendor", () => {
  it("answers as planned, in order, and then as respond says", async () => {
    vendor.say("one", { text: "two" }).respond(({ request }) => ({ answer: `asked ${request.url}` }));

    const answers = [await ask(), await ask(), await ask(), await ask()];

    expect(await Promise.all(answers.map(contentOf))).toEqual([
      "one",
      "two",
      "asked /v1/chat/completions",
      "asked /v1/chat/completions",
    ]);
    vendor.assertDone();
  });

  it("answers with the same answer in every dialect", async () => {
    vendor.respond(() => ({ answer: "hello" }));

    const paths = ["/v1/responses", "/v1/messages", "/v1beta/models/gemini-3:generateContent", "/api/chat"];
    for (const path of paths) expect(await (await ask(path, { stream: false })).text()).toContain("hello");

    const dialects = vendor.exchanges.map(({ dialect }) => dialect);
    expect(dialects).toEqual(["openai-responses", "anthropic", "google", "ollama"]);
  });

  it.each([
    "/v1beta1/projects/p/locations/l/publishers/google/models/m-1:generateContent",
    "/v1beta1/publishers/google/models/m-1:streamGenerateContent?alt=sse",
    "/v1/models/m-1:generateContent",
    "/v1beta/models/m-1:streamGenerateContent?alt=sse",
  ])("recognizes the Gemini path %s", async (path) => {
    vendor.say("hello");

    await (await ask(path)).text();

    const stream = path.includes("stream");
    expect(vendor.exchanges).toMatchObject([{ dialect: "google", route: { kind: "chat", modelId: "m-1", stream } }]);
  });

  it.each([
    [":predict", { instances: [{ content: "a" }, { content: "b" }] }, "predictions"],
    [":embedContent", { content: { parts: [{ text: "a" }] } }, "embedding"],
  ])("embeds on Google Cloud with %s", async (method, body, field) => {
    const response = await ask(`/v1beta1/publishers/google/models/m${method}`, body);

    expect(await response.json()).toHaveProperty(field);
    expect(vendor.exchanges).toMatchObject([{ route: { kind: "embeddings", modelId: "m" }, end: "completed" }]);
  });

  it("embeds with Gemini models in the requested dimensions, and answers 404 for models that were shut down", async () => {
    const batch = { requests: [{ content: { parts: [{ text: "a" }] }, outputDimensionality: 3 }] };
    const shortened = await ask("/v1beta/models/gemini-embedding-001:batchEmbedContents", batch);
    const gone = await ask("/v1beta/models/text-embedding-004:batchEmbedContents", batch);

    const { embeddings } = (await shortened.json()) as { embeddings: { values: number[] }[] };
    expect(embeddings.map(({ values }) => values.length)).toEqual([3]);
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining("NOT_FOUND")]);
  });

  it.each([
    ["/v1beta/models/gemini-2.5-flash", []],
    ["/v1beta1/publishers/google/models/gemini-3.8-flash", ["thoughtSignature"]],
    ["/v1beta/models/gemini-3.8-flash", ["id", "thoughtSignature"]],
  ])("gives a call the id and signature that Gemini has on %s", async (path, marks) => {
    vendor.say({ toolCalls: [{ name: "a" }] });

    const text = await (await ask(`${path}:generateContent`)).text();

    expect(["id", "thoughtSignature"].filter((mark) => text.includes(`"${mark}"`))).toEqual(marks);
  });

  it.each([
    ["/v1beta/models/gemini-3.8-flash", 400, "API_KEY_INVALID"],
    ["/v1beta1/publishers/google/models/gemini-3.8-flash", 401, "UNAUTHENTICATED"],
  ])("refuses a wrong key as Gemini does on %s", async (path, status, word) => {
    vendor.plan({ failure: { status: 401 } });

    const response = await ask(`${path}:generateContent`);

    expect(response.status).toBe(status);
    expect(await response.text()).toContain(word);
  });

  it("streams as Ollama by default", async () => {
    vendor.say("one two", "one two");

    const streamed = await (await ask("/api/chat", {})).text();
    const whole = await (await ask("/api/chat", { stream: false })).text();

    expect([streamed.trim().split("\n").length, whole.split("\n").length]).toEqual([3, 1]);
  });

  it("answers 500 to an unplanned request, and assertDone throws", async () => {
    const response = await ask();

    expect(response.status).toBe(500);
    expect(vendor.exchanges).toMatchObject([{ isUnplanned: true, key: "key-1" }]);
    expect(() => vendor.assertDone()).toThrow(/1 request\(s\) more than planned/);
  });

  it("assertDone throws when a planned answer is left", () => {
    vendor.say("one", "two");

    expect(() => vendor.assertDone()).toThrow(/2 planned answer\(s\) left/);
  });

  it("records a request without a known route, and answers 404", async () => {
    const response = await ask("/v2/nothing");

    expect(response.status).toBe(404);
    expect(vendor.exchanges).toMatchObject([{ dialect: undefined, request: { url: "/v2/nothing" } }]);
  });

  it("answers 404 to a GET request", async () => {
    expect((await fetch(`${vendor.url}/v1/messages`)).status).toBe(404);
  });

  it("gives every call without an id a new one", async () => {
    const toolCalls = [{ name: "a" }, { id: "mine", name: "a" }];
    vendor.say({ toolCalls }, { toolCalls });

    const answers = [await (await ask()).text(), await (await ask()).text()];

    const ids = answers.flatMap((text) => [...text.matchAll(/"id":"(call_\d+|mine)"/g)].map(([, id]) => id));
    expect(ids).toEqual(["call_1", "mine", "call_2", "mine"]);
  });

  it.each([
    [{ "x-api-key": "a" }, "/v1/messages", "a"],
    [{ "x-api-key": "a", authorization: "Bearer b" }, "/v1/messages", "a"],
    [{ authorization: "Bearer b" }, "/v1/messages", "b"],
    [{ "x-goog-api-key": "c" }, "/v1beta/models/m:generateContent", "c"],
    [{ authorization: "Bearer b" }, "/v1beta1/publishers/google/models/m:generateContent", "b"],
    [{ authorization: "Bearer b" }, "/v1/responses", "b"],
    [{}, "/api/chat", undefined],
  ])("finds the key in the headers %o", async (headers, path, key) => {
    vendor.say("hello");

    await fetch(`${vendor.url}${path}`, { method: "POST", headers, body: "{}" });

    expect(vendor.exchanges[0]?.key).toBe(key);
  });

  it("caches a prompt, when strict, once its answer has begun, by the clock that it is given", async () => {
    let now = 0;
    const strict = await FakeVendor.start({ strict: true, now: () => now });
    onTestFinished(() => strict.close());
    const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const system = [{ type: "text", text: "Be short. ".repeat(500), ...mark }];
    const body = { model: "claude-opus-5-5", max_tokens: 9, system, messages: [{ role: "user", content: "Hi" }] };
    const headers = { "x-api-key": "key-1", "anthropic-version": "2026-10-21" };
    const send = () => fetch(`${strict.url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
    strict.plan({ answer: "lost", delivery: { fault: { kind: "reset", at: "before-headers" } } });
    strict.say("written", "read", "late");

    await expect(send()).rejects.toThrow("fetch failed");
    await send();
    await send();
    now = 3_600_000;
    const { usage } = (await (await send()).json()) as { usage: Record<string, unknown> };

    const [lost, written, read, late] = strict.exchanges.map(({ billed }) => billed);
    const tokens = written?.cacheWriteTokens ?? 0;
    expect(tokens).toBeGreaterThan(1024);
    const counts = [lost, written, read, late].map((each) => [each?.cachedTokens, each?.cacheWriteTokens]);
    expect(counts).toEqual([
      [0, tokens],
      [0, tokens],
      [tokens, 0],
      [0, tokens],
    ]);
    expect(usage).toMatchObject({
      cache_creation_input_tokens: tokens,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: tokens },
    });
  });

  it("closes all connections, and can be closed twice", async () => {
    vendor.plan({ answer: "one", delivery: { delayMs: 60_000 } });
    const answer = ask().catch((error: unknown) => error);
    await expect.poll(() => vendor.exchanges.length).toBe(1);
    expect(vendor.openConnections).toBe(1);

    await vendor.close();
    await vendor.close();

    expect(vendor.openConnections).toBe(0);
    expect(await answer).toBeInstanceOf(TypeError);
    await expect.poll(() => vendor.exchanges[0]?.end).toBe("abandoned");
  });
});
