import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { VendorAnswer } from "../dialect.ts";
import { FakeVendor } from "../fake-vendor.ts";
import { edited } from "../test/edit-json.ts";
import type { Edit } from "../test/edit-json.ts";
import { anthropicHistories, olderAnthropicHistories } from "../test/histories/anthropic-histories.ts";
import { googleHistories, olderGoogleHistories, vertexHistories } from "../test/histories/google-histories.ts";
import { ollamaHistories } from "../test/histories/ollama-histories.ts";
import { openaiChatHistories } from "../test/histories/openai-chat-histories.ts";
import { openaiResponsesHistories } from "../test/histories/openai-responses-histories.ts";

const tables = [
  openaiChatHistories,
  openaiResponsesHistories,
  anthropicHistories,
  olderAnthropicHistories,
  googleHistories,
  vertexHistories,
  olderGoogleHistories,
  ollamaHistories,
];

const call = (city: string) => ({ name: "get_weather", arguments: { city } });
const steps: VendorAnswer[] = [
  { thinking: "Both.", text: "Let me see.", toolCalls: [call("Paris"), call("Oslo")] },
  { thinking: "And Rome.", toolCalls: [call("Rome")] },
];

describe.each(tables)("the strict vendor with $vendor", ({ path, headers = {}, first, next, sound, broken }) => {
  let vendor: FakeVendor;
  /** A history of two round trips with tools, from the vendor's own answers. */
  let history: Record<string, unknown>;

  beforeAll(async () => {
    vendor = await FakeVendor.start({ strict: true });
    vendor.say(...steps).respond(() => ({ answer: "Take one." }));
    history = first;
    for (const _ of steps) history = next(history, (await (await post(history)).json()) as Record<string, unknown>);
  });
  afterAll(() => vendor.close());

  async function post(body: unknown): Promise<Response> {
    return await fetch(`${vendor.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  }

  async function answerTo(edits: Edit | Edit[]): Promise<{ status: number; text: string }> {
    const response = await post(edited(history, [edits].flat()));
    return { status: response.status, text: await response.text() };
  }

  it("accepts a history of two round trips with tools", async () => {
    expect(await answerTo([])).toEqual({ status: 200, text: expect.stringContaining("Take one.") as unknown });
  });

  it.each(sound)("accepts a history with this change: %s", async (_, edits) => {
    expect(await answerTo(edits)).toMatchObject({ status: 200 });
  });

  it.each(broken)("refuses a history with this fault: %s", async (_, edits, refusal) => {
    const { status, text } = await answerTo(edits);

    expect(status).toBe(400);
    expect(vendor.exchanges.at(-1)?.refusal?.message).toMatch(refusal);
    expect(text).toContain(JSON.stringify(vendor.exchanges.at(-1)?.refusal?.message).slice(1, -1));
  });
});

it("the strict vendor refuses an Anthropic request without anthropic-version", async () => {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  const body = JSON.stringify(anthropicHistories.first);

  const response = await fetch(`${vendor.url}/v1/messages`, { method: "POST", body });

  expect(await response.text()).toContain("anthropic-version: header is required");
});

it("the strict vendor names the parameter in an OpenAI error", async () => {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  const body = JSON.stringify({ model: "gpt-4.1", messages: [{ role: "user", content: "Well?" }], stop_words: [] });

  const response = await fetch(`${vendor.url}/v1/chat/completions`, { method: "POST", body });

  expect(await response.json()).toMatchObject({ error: { param: "stop_words", type: "invalid_request_error" } });
});

it.each(["/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/models/m:generateContent", "/api/chat"])(
  "the strict vendor refuses invalid JSON on %s",
  async (path) => {
    const vendor = await FakeVendor.start({ strict: true });
    onTestFinished(() => vendor.close());

    const response = await fetch(`${vendor.url}${path}`, { method: "POST", body: "[[[" });

    expect(response.status).toBe(400);
  },
);

it.each([
  { input: "" },
  { input: [] },
  { input: ["a", ""] },
  { input: "a", texts: [] },
  { input: "a", model: undefined },
])("the strict vendor refuses to embed %o as OpenAI", async (fields) => {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  const body = JSON.stringify({ model: "text-embedding-3-small", ...fields });

  const response = await fetch(`${vendor.url}/v1/embeddings`, { method: "POST", body });

  expect(response.status).toBe(400);
});

const batched = (text: string, more: object = {}) => ({
  model: "models/m",
  content: { role: "user", parts: [{ text }] },
  ...more,
});
it.each([
  ["nothing", {}, /at least one/],
  ["too many texts", { requests: Array.from({ length: 101 }, () => batched("a")) }, /at most 100 requests/],
  ["an empty text", { requests: [batched("a"), batched("")] }, /requests\[1\]: content is empty/],
  ["another model's text", { requests: [batched("a", { model: "models/n" })] }, /must match the model/],
  ["an unknown field", { requests: [batched("a", { dimensions: 8 })] }, /requests\[0\].dimensions/],
])("the strict vendor refuses to embed %s as Gemini", async (_, body, reason) => {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());

  const url = `${vendor.url}/v1beta/models/m:batchEmbedContents`;
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });

  expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(reason)]);
});

it("a vendor without strict accepts anything", async () => {
  const vendor = await FakeVendor.start();
  onTestFinished(() => vendor.close());
  vendor.say("Well.");

  const response = await fetch(`${vendor.url}/v1/messages`, { method: "POST", body: "[[[" });

  expect(response.status).toBe(200);
});
