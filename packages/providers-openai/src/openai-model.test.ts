import { describe, expect, it, vi } from "vitest";
import { lastBody, modelOf, question, startVendor } from "../test/ask.ts";
import { looseParameters } from "../test/request-body.ts";
import { weakenChatRules } from "./chat/weaken.ts";
import { openai } from "./openai-model.ts";

it.each(["responses", "chat"] as const)("OpenAIModel has headers of ours alone, over %s", async (api) => {
  const vendor = (await startVendor()).say("Yes.");
  await modelOf(vendor, { api }).generate(question);

  const { method, url, headers } = vendor.exchanges[0]?.request ?? {};
  const { "content-length": length, ...others } = headers ?? {};
  expect([method, url]).toEqual(["POST", api === "chat" ? "/v1/chat/completions" : "/v1/responses"]);
  expect(Number(length)).toBe(JSON.stringify(lastBody(vendor)).length);
  expect(others).toEqual({
    accept: "application/json, text/event-stream",
    "accept-encoding": "identity",
    authorization: "Bearer sk-test-key",
    connection: "keep-alive",
    "content-type": "application/json",
    host: new URL(vendor.url).host,
    "user-agent": "troupe",
  });
});

describe("a server that refuses the form of the answer", () => {
  const refusal = { failure: { status: 400, message: "'response_format.type' must be 'json_schema' or 'text'" } };
  const responseFormat = { type: "json_schema", schema: looseParameters } as const;

  it("is asked in weaker words, and in these from then on", async () => {
    const vendor = await startVendor();
    vendor.plan(refusal, refusal, { answer: "{}" }, { answer: "{}" });
    const model = modelOf(vendor, { api: "chat", modelId: "llama-4" });
    await model.generate(question, { responseFormat });
    await model.generate(question, { responseFormat });

    const formats = vendor.exchanges.map(({ request }) => request.body as Record<string, { type?: string }>);
    expect(formats.map(({ response_format: format }) => format?.type)).toEqual([
      "json_schema",
      "json_object",
      undefined,
      undefined,
    ]);
    expect(JSON.stringify(formats.at(-1))).toContain("JSON Schema");
  });

  it("teaches the model by two calls at once, of which the earlier ends last", async () => {
    const formats: unknown[] = [];
    const isHeld = Promise.withResolvers<void>();
    const send: typeof fetch = async (_url, init) => {
      const { response_format: format } = JSON.parse(init?.body as string) as { response_format?: { type: string } };
      const isFirst = formats.push(format?.type) === 1;
      if (isFirst) await isHeld.promise;
      if (format === undefined) return Response.json({ choices: [{ message: { content: "{}" } }] });
      return Response.json({ error: { message: "response_format is not supported" } }, { status: 400 });
    };
    const model = openai("llama-4", { api: "chat", apiKey: "none", baseURL: "http://127.0.0.1/v1", fetch: send });
    const early = model.generate(question, { responseFormat: "json" });
    await vi.waitFor(() => expect(formats).toHaveLength(1));
    await model.generate(question, { responseFormat });
    isHeld.resolve();
    await early;
    await model.generate(question, { responseFormat });

    expect(formats).toEqual(["json_object", "json_schema", "json_object", undefined, undefined, undefined]);
  });

  it("is understood in the words of its own kind", async () => {
    const vendor = await startVendor({ strict: false });
    const bodies = [
      { error: "'response_format.type' must be 'json_schema' or 'text'" },
      { object: "error", message: "response_format is not supported", code: 400 },
      { detail: [{ loc: ["body", "response_format"] }] },
    ];
    for (const body of bodies) {
      const headers = { "content-type": "application/json" };
      vendor.plan({ raw: { status: 400, headers, frames: [JSON.stringify(body)] } }, { answer: "{}" });
      await modelOf(vendor, { api: "chat", modelId: "llama-4" }).generate(question, { responseFormat: "json" });
    }

    expect(vendor.exchanges).toHaveLength(6);
    expect(lastBody(vendor)).not.toHaveProperty("response_format");
    expect(lastBody(vendor)).toMatchObject({ messages: [{ content: "Answer with JSON alone." }, question[0]] });
  });

  it("is not OpenAI itself, which refuses a schema for what it is", () => {
    const words = { message: "Invalid schema for response_format 'answer'", param: "response_format" };
    const request = { response_format: { type: "json_schema" } };

    expect(weakenChatRules({ ...words, isOpenAI: true }, request)).toBeUndefined();
    expect(weakenChatRules({ ...words, isOpenAI: false }, request)).toEqual({ jsonSchema: false });
  });

  it("is not asked again for anything else that it refuses", async () => {
    const vendor = await startVendor();
    vendor.plan({ failure: { status: 400, message: "no such model" } });

    await expect(modelOf(vendor, { api: "chat" }).generate(question, { responseFormat })).rejects.toThrow("status 400");
    expect(vendor.exchanges).toHaveLength(1);
  });
});

it("OpenAIModel asks again without a summary where the vendor gives none to this organisation", async () => {
  const vendor = await startVendor();
  const refused = { failure: { status: 400, message: "Verify your organization.", param: "reasoning.summary" } };
  vendor.plan(refused, { answer: "Yes." }, { answer: "Yes." }, { answer: "Yes." });
  const model = modelOf(vendor);
  const reasoning = { enabled: true, effort: "low" } as const;
  await model.generate(question, { reasoning, apiKey: "sk-unverified" });
  await model.generate(question, { reasoning, apiKey: "sk-unverified" });
  await model.generate(question, { reasoning, apiKey: "sk-verified" });

  const asked = vendor.exchanges.map(({ request }) => (request.body as Record<string, unknown>)["reasoning"]);
  const full = { effort: "low", summary: "auto" };
  expect(asked).toEqual([full, { effort: "low" }, { effort: "low" }, full]);
});

it("OpenAIModel gives up on a vendor that refuses what it was not even asked for", async () => {
  const vendor = await startVendor();
  const refused = { failure: { status: 400, message: "response_format", param: "reasoning.summary" } };
  vendor.respond(() => refused);
  const options = { reasoning: { enabled: true }, responseFormat: "json" } as const;

  await expect(modelOf(vendor).generate(question, options)).rejects.toThrow("status 400");
  await expect(modelOf(vendor, { api: "chat" }).generate(question, options)).rejects.toThrow("status 400");
  expect(vendor.exchanges).toHaveLength(4);
});
