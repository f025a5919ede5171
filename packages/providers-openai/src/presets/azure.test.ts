import type { ModelProvider } from "@troupe/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { question } from "../../test/ask.ts";
import { azure } from "./azure.ts";

/** Sets environment variables until the end of the test. */
function stub(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Calls a model whose requests fail, and returns the URL, the key and the body of the request. */
async function requestOf(make: (fetch: typeof globalThis.fetch) => ModelProvider) {
  const sent = vi.fn<typeof fetch>().mockRejectedValue(new Error("not sent"));
  await make(sent)
    .generate(question, { temperature: 0.5 })
    .catch(() => undefined);
  const [url, init] = sent.mock.calls[0] ?? [];
  const body = JSON.parse(await new Response(init?.body).text()) as object;
  return { url, key: new Headers(init?.headers).get("authorization"), body };
}

describe("azure", () => {
  it("calls the deployment of a resource with the key of the environment", async () => {
    stub({ AZURE_API_KEY: "sk-of-azure", OPENAI_API_KEY: "sk-of-openai" });

    expect(await requestOf((fetch) => azure("my-own-name", { resource: "me", fetch }))).toMatchObject({
      url: "https://me.openai.azure.com/openai/v1/chat/completions",
      key: "Bearer sk-of-azure",
      body: { model: "my-own-name" },
    });
  });

  it("calls the Responses API when it is asked to", async () => {
    stub({ AZURE_API_KEY: "k" });
    const { url } = await requestOf((fetch) => azure("d", { resource: "me", fetch, api: "responses" }));

    expect(url).toBe("https://me.openai.azure.com/openai/v1/responses");
  });

  it("knows what the model of the deployment accepts", async () => {
    stub({ AZURE_API_KEY: "k" });
    const bodyOf = async (family?: string) =>
      (await requestOf((fetch) => azure("d", { resource: "me", fetch, family }))).body;

    expect(await bodyOf("gpt-4.1")).toMatchObject({ model: "d", temperature: 0.5 });
    expect(await bodyOf("gpt-6.1-sol")).not.toHaveProperty("temperature");
  });

  it("sends no key of the environment to another host", async () => {
    stub({ AZURE_API_KEY: "k" });
    const { key } = await requestOf((fetch) => azure("d", { baseURL: "https://azure.com.example/v1", fetch }));

    expect(key).toBeNull();
  });

  it.each([undefined, "me.example", "https://me", ""])("needs the name of a resource, not %j", (resource) => {
    expect(() => azure("d", { resource })).toThrow(/resource/);
  });
});
