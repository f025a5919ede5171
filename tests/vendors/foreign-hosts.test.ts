import { bedrockDialect, FakeVendor } from "@troupe-internal/vendor-fakes";
import type { FakeVendorOptions } from "@troupe-internal/vendor-fakes";
import type { ModelProvider, NetworkOptions } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { bedrock } from "@troupe/providers-bedrock";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";
import { describe, expect, it, onTestFinished, vi } from "vitest";

type Options = { useEnvironmentKey?: boolean; apiKey?: string; fetch?: NetworkOptions["fetch"] };

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

async function start(variables: readonly string[], options: FakeVendorOptions = {}): Promise<FakeVendor> {
  const vendor = await FakeVendor.start(options);
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

const ownHosts: readonly [vendor: string, host: string][] = [
  ["openai", "api.openai.com"],
  ["anthropic", "api.anthropic.com"],
  ["google", "generativelanguage.googleapis.com"],
  ["ollama", "ollama.com"],
];

describe.each(ownHosts)("the key of %s in the environment", (name, host) => {
  const [, variables = [], make] = vendors.find(([vendor]) => vendor === name) ?? [];

  /** Returns the requests to an address that contain the key. */
  async function requestsWithKey(url: string): Promise<number> {
    for (const variable of variables) vi.stubEnv(variable, "key-of-environment");
    onTestFinished(() => void vi.unstubAllEnvs());
    let count = 0;
    const fetch = async (_: unknown, init?: { headers?: unknown }): Promise<Response> => {
      if (JSON.stringify(Object(init?.headers)).includes("key-of-environment")) count += 1;
      return await Promise.resolve(new Response("{}", { status: 500 }));
    };
    await make?.(url, { fetch })
      .generate(question)
      .catch(() => undefined);
    return count;
  }

  it("goes to the vendor's own host", async () => {
    expect(await requestsWithKey(`https://${host}`)).toBeGreaterThan(0);
  });

  it.each([
    `${host}.evil.example`,
    `${host}evil.example`,
    `evil${host}`,
    `evil-${host}`,
    `evil.example/${host}`,
    host.replaceAll(".", "-"),
    host.replace(".", "x"),
  ])("goes to no host that only looks like the vendor's: %s", async (other) => {
    expect(await requestsWithKey(`https://${other}`)).toBe(0);
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

describe("a model of bedrock at a host that is not Amazon's", () => {
  const variables = ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
  const connect = async () => {
    const vendor = await start(variables, { dialect: bedrockDialect });
    const make = (options: Options) =>
      bedrock("amazon.nova-pro-v1:0", { baseURL: vendor.url, region: "us-east-1", ...options });
    return { vendor, make };
  };

  it("gets neither key nor credentials from the environment, and is called without a signature", async () => {
    const { vendor, make } = await connect();
    vendor.respond(() => ({ answer: "Yes." }));
    await make({}).generate(question);

    expect(vendor.exchanges[0]?.request.headers).not.toHaveProperty("authorization");
    expect(JSON.stringify(vendor.exchanges)).not.toContain("key-of-environment");
  });

  it("says, when it refuses, which keys were not sent, and how to send them", async () => {
    const { vendor, make } = await connect();
    vendor.respond(() => ({ failure: { status: 403, message: "No key." } }));

    await expect(make({}).generate(question)).rejects.toMatchObject({
      code: "model_failed",
      message: `bedrock refused a request without an API key (status 403). ${variables.join(" and ")} goes to the vendor's own hosts only. Pass apiKey, or set useEnvironmentKey of the model to true.`,
    });
  });

  it("gets the environment's key with useEnvironmentKey, then its credentials, and any given key without it", async () => {
    const { vendor, make } = await connect();
    vendor.respond(() => ({ answer: "Yes." }));
    await make({ useEnvironmentKey: true }).generate(question);
    await make({ apiKey: "key-of-options" }).generate(question);
    await make({}).generate(question, { apiKey: "key-of-call" });
    vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "id-of-environment");
    await make({ useEnvironmentKey: true }).generate(question);

    const keys = ["key-of-environment", "key-of-options", "key-of-call", "id-of-environment"];
    expect(vendor.exchanges.map(({ key }) => key)).toEqual(keys);
  });
});
