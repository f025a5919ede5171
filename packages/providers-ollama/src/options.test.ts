import { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { readEmbeddingsOptions, readModelOptions } from "./options.ts";
import type { OllamaEmbeddingsOptions, OllamaOptions } from "./options.ts";

const answer = async () => await Promise.resolve({});
const [chat, embed] = [{ chat: answer }, { embed: answer }];

function read(options: OllamaOptions = {}) {
  const { network: _, logger: __, ...settings } = readModelOptions("qwen3:8b", options);
  return settings;
}

function readEmbeddings(options: OllamaEmbeddingsOptions = {}) {
  const { network: _, ...settings } = readEmbeddingsOptions("nomic", options);
  return settings;
}

/** The code and the sentence with which these are refused. */
function refusal(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return TroupeError.is(error) ? [error.code, error.message] : error;
  }
}

const usual = {
  modelId: "qwen3:8b",
  baseURL: "http://127.0.0.1:11434",
  timeoutMs: 300_000,
  idleTimeoutMs: 60_000,
  contextLength: undefined,
  client: undefined,
  rules: { thinking: "switch", tools: true },
};

describe("readModelOptions", () => {
  it.each<[OllamaOptions, object]>([
    [{}, {}],
    [{ contextLength: 1 }, { contextLength: 1 }],
    [
      { timeoutMs: 7, idleTimeoutMs: 8 },
      { timeoutMs: 7, idleTimeoutMs: 8 },
    ],
    [{ rules: { tools: false } }, { rules: { thinking: "switch", tools: false } }],
    [{ rules: { thinking: "levels" } }, { rules: { thinking: "levels", tools: true } }],
    [{ client: chat }, { client: chat }],
  ])("adds the defaults to %j", (options, settings) => {
    expect(read(options)).toEqual({ ...usual, ...settings });
  });

  it.each<[unknown, string]>([
    [{ contextLength: 0 }, "contextLength must be a positive integer, got 0."],
    [{ rules: { thinking: "on" } }, 'rules.thinking must be "levels", "switch" or "none", got a string.'],
    [{ rules: { tools: 0 } }, "rules.tools must be true or false, got 0."],
    [{ client: embed }, "client must be a client of ollama, with chat, got an object."],
    [
      { client: chat, baseURL: "http://e.x" },
      "baseURL would have no effect beside client. Set it on the client, or leave client out.",
    ],
  ])("refuses %j, saying what it expects", (options, message) => {
    expect(refusal(() => read(options as OllamaOptions))).toEqual(["invalid_config", message]);
  });

  it("has no allowPrivateUrls, since the server fetches none", () => {
    expect(refusal(() => read({ allowPrivateUrls: true } as OllamaOptions))).toEqual([
      "invalid_config",
      expect.stringContaining('Unknown option "allowPrivateUrls" of ollama.'),
    ]);
  });

  it("names itself and the argument for a blank model", () => {
    expect(refusal(() => readModelOptions(" ", {}))).toEqual([
      "invalid_config",
      "modelId must be a string that is not blank, got a string.",
    ]);
  });
});

describe("readEmbeddingsOptions", () => {
  it.each<[OllamaEmbeddingsOptions, object]>([
    [{}, {}],
    [
      { dimensions: 1, timeoutMs: 9 },
      { dimensions: 1, timeoutMs: 9 },
    ],
    [{ client: embed }, { client: embed }],
  ])("adds the defaults to %j", (options, settings) => {
    expect(readEmbeddings(options)).toMatchObject({
      model: "nomic",
      baseURL: "http://127.0.0.1:11434",
      timeoutMs: 300_000,
      ...settings,
    });
  });

  it.each<[unknown, string]>([
    [{ dimensions: 0 }, "dimensions must be a positive integer, got 0."],
    [{ client: chat }, "client must be a client of ollama, with embed, got an object."],
    [{ color: 1 }, 'Unknown option "color" of ollamaEmbeddings.'],
  ])("refuses %j by the name of its own", (options, message) => {
    expect(refusal(() => readEmbeddings(options as OllamaEmbeddingsOptions))).toEqual([
      "invalid_config",
      expect.stringContaining(message),
    ]);
  });

  it("calls its argument model", () => {
    expect(refusal(() => readEmbeddingsOptions("", {}))).toEqual([
      "invalid_config",
      "model must be a string that is not blank, got a string.",
    ]);
  });
});
