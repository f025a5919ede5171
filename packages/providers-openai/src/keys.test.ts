import { describe, expect, it, onTestFinished, vi } from "vitest";
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
    const sent = vi.fn<typeof fetch>().mockRejectedValue(new Error("not sent"));
    await openai("gpt-4.1", { fetch: sent })
      .generate(question)
      .catch(() => undefined);
    expect(new Headers(sent.mock.calls[0]?.[1]?.headers).get("authorization")).toBe("Bearer sk-environment");
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
