import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";
import { describe, expect, it, onTestFinished, vi } from "vitest";

type Options = { useEnvironmentKey?: boolean; apiKey?: string };

const vendors: readonly [name: string, variables: string[], make: (url: string, options: Options) => ModelProvider][] =
  [
    ["openai", ["OPENAI_API_KEY"], (url, options) => openai("gpt-4.1", { baseURL: `${url}/v1`, ...options })],
    ["anthropic", ["ANTHROPIC_API_KEY"], (url, options) => anthropic("claude-opus-5-5", { baseURL: url, ...options })],
    [
      "google",
      ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
      (url, options) => google("gemini-3.8-flash", { baseURL: url, ...options }),
    ],
    ["ollama", ["OLLAMA_API_KEY"], (url, options) => ollama("qwen3:8b", { baseURL: url, ...options })],
  ];

const question = [{ role: "user" as const, content: "Hello?" }];

async function start(variables: readonly string[]): Promise<FakeVendor> {
  const vendor = await FakeVendor.start();
  onTestFinished(() => vendor.close());
  for (const name of variables) vi.stubEnv(name, "key-of-environment");
  onTestFinished(() => void vi.unstubAllEnvs());
  return vendor;
}

describe.each(vendors)("a model of %s at a host that is not the vendor's", (name, variables, make) => {
  it("gets no key from the environment, and is called without one", async () => {
    const vendor = await start(variables);
    vendor.respond(() => ({ answer: "Yes." }));
    await make(vendor.url, {}).generate(question);

    expect(JSON.stringify(vendor.exchanges.map(({ request }) => request))).not.toContain("key-of-environment");
  });

  it("says, when it refuses, which key was not sent, and how to send it", async () => {
    const vendor = await start(variables);
    vendor.respond(() => ({ failure: { status: 401, message: "No key." } }));

    await expect(make(vendor.url, {}).generate(question)).rejects.toMatchObject({
      code: "model_failed",
      message: `${name} refused a request without an API key (status 401). ${variables.join(" and ")} goes to the vendor's own hosts only. Pass apiKey, or set useEnvironmentKey of the model to true.`,
    });
  });

  it("gets the environment's key with useEnvironmentKey, and any given key without it", async () => {
    const vendor = await start(variables);
    vendor.respond(() => ({ answer: "Yes." }));
    await make(vendor.url, { useEnvironmentKey: true }).generate(question);
    await make(vendor.url, { apiKey: "key-of-options" }).generate(question);
    await make(vendor.url, {}).generate(question, { apiKey: "key-of-call" });

    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["key-of-environment", "key-of-options", "key-of-call"]);
  });
});

it("a model of vertex sends the environment's key to another host only with useEnvironmentKey", async () => {
  const vendor = await start(["GOOGLE_API_KEY"]);
  vendor.respond(() => ({ answer: "Yes." }));
  await vertex("gemini-3.8-flash", { baseURL: vendor.url })
    .generate(question)
    .catch(() => undefined);
  await vertex("gemini-3.8-flash", { baseURL: vendor.url, useEnvironmentKey: true }).generate(question);

  expect(vendor.exchanges.map(({ key }) => key)).toEqual(["key-of-environment"]);
});
