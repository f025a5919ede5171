import { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { readModelOptions } from "./options.ts";
import type { AnthropicOptions } from "./options.ts";

const client = { messages: { create: async () => await Promise.resolve({}) } };

/** The settings without the objects that this provider only passes on. */
function read(options: AnthropicOptions = {}) {
  const { network: _, logger: __, ...settings } = readModelOptions("claude-opus-4-5", options);
  return settings;
}

const usual = {
  modelId: "claude-opus-4-5",
  baseURL: "https://api.anthropic.com",
  keyHeader: "authorization",
  promptCache: { ttl: "5m" },
  idleTimeoutMs: 60_000,
  allowPrivateUrls: false,
  client: undefined,
  rules: {
    thinking: "budget",
    sampling: true,
    forcedTools: true,
    structuredOutput: true,
    maxOutputTokens: 64_000,
  },
};

describe("readModelOptions", () => {
  it("adds all defaults, and the rules of the model", () => {
    expect(read()).toEqual(usual);
  });

  it.each<[AnthropicOptions, object]>([
    [{ promptCache: false }, { promptCache: false }],
    [{ promptCache: { ttl: "1h" } }, { promptCache: { ttl: "1h" } }],
    [{ keyHeader: "x-api-key" }, { keyHeader: "x-api-key" }],
    [{ baseURL: "http://127.0.0.1:1/x" }, { baseURL: "http://127.0.0.1:1/x" }],
    [
      { idleTimeoutMs: 1, allowPrivateUrls: true },
      { idleTimeoutMs: 1, allowPrivateUrls: true },
    ],
    [
      { rules: { maxOutputTokens: 1, sampling: false } },
      { rules: { ...usual.rules, maxOutputTokens: 1, sampling: false } },
    ],
    [{ rules: { thinking: "none" } }, { rules: { ...usual.rules, thinking: "none" } }],
    [{ client }, { client }],
    [
      { client, idleTimeoutMs: 5, promptCache: false },
      { client, idleTimeoutMs: 5, promptCache: false },
    ],
  ])("takes %j over the defaults", (options, settings) => {
    expect(read(options)).toEqual({ ...usual, ...settings });
  });

  it.each<[unknown, string]>([
    [{ promptCache: true }, 'promptCache must be false or { ttl: "5m" | "1h" }, got true.'],
    [{ promptCache: null }, 'promptCache must be false or { ttl: "5m" | "1h" }, got null.'],
    [{ promptCache: {} }, 'promptCache.ttl must be "5m" or "1h", got undefined.'],
    [{ promptCache: { ttl: "10m" } }, 'promptCache.ttl must be "5m" or "1h", got a string.'],
    [{ keyHeader: "X-Api-Key" }, 'keyHeader must be "authorization" or "x-api-key", got a string.'],
    [{ rules: { maxOutputTokens: 0 } }, "rules.maxOutputTokens must be a positive integer, got 0."],
    [{ rules: { forcedTools: 1 } }, "rules.forcedTools must be true or false, got 1."],
    [{ rules: { structuredOutput: "no" } }, "rules.structuredOutput must be true or false, got a string."],
    [
      { client: { messages: {} } },
      "client must be a client of @anthropic-ai/sdk, with messages.create, got an object.",
    ],
    [
      { client, keyHeader: "x-api-key" },
      "keyHeader would have no effect beside client. Set it on the client, or leave client out.",
    ],
    [
      { client, apiKey: "k", baseURL: "http://e.x" },
      "apiKey, baseURL would have no effect beside client. Set it on the client, or leave client out.",
    ],
  ])("refuses %j, saying what it expects", (options, message) => {
    let thrown: unknown;
    try {
      read(options as AnthropicOptions);
    } catch (error) {
      thrown = error;
    }

    expect(TroupeError.is(thrown) && [thrown.code, thrown.message]).toEqual(["invalid_config", message]);
  });
});
