import { describe, expect, it } from "vitest";
import { ModelKeys } from "./model-access.ts";
import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from "./options.ts";

type Model = AiSdkLanguageModel | AiSdkEmbeddingModel;

function modelOf(modelId: string, specificationVersion = "v4"): AiSdkLanguageModel {
  const ask = async () => await Promise.resolve({});
  return { specificationVersion, provider: "acme.chat", modelId, doGenerate: ask, doStream: ask };
}

const own = modelOf("own");
const supported = "fromAiSdk needs a model of specification v3 or v4 (ai 6 or 7), got";
const needed = 'fromAiSdk needs a model of the AI SDK, such as openai("gpt-6.1-sol") of @ai-sdk/openai.';

/** The keys of a model for which `make` makes the model of each key, and the keys that it was asked for. */
function keysOf(make: (apiKey: string, round: number) => unknown) {
  const asked: string[] = [];
  const withKey = (apiKey: string) => make(apiKey, asked.push(apiKey)) as Model;
  const keys = new ModelKeys<Model>(own, { providerId: "acme", withKey });
  const open = async (apiKey?: string) => (await keys.open(apiKey, undefined)).model;
  return { asked, open };
}

describe("the model of a caller's key", () => {
  it.each<[string, unknown, string]>([
    ["undefined", undefined, needed],
    ["null", null, needed],
    ["an id", "openai/gpt-6", needed],
    ["a promise", Promise.resolve(own), needed],
    ["an object without an id", { ...own, modelId: undefined }, needed],
    ["an object without a provider", { ...own, provider: 1 }, needed],
    ["a model of specification v2", modelOf("m", "v2"), `${supported} v2.`],
    ["a model of specification v5", modelOf("m", "v5"), `${supported} v5.`],
    ["a model of no specification", { ...own, specificationVersion: undefined }, `${supported} another.`],
  ])("is refused each time that withKey returns %s", async (_, wrong, message) => {
    const { open, asked } = keysOf(() => wrong);
    const keys = ["sk-1", "sk-1", "sk-2", "sk-1", "sk-2"];
    for (const key of keys) {
      await expect(open(key)).rejects.toMatchObject({
        code: "invalid_config",
        message: expect.stringContaining(message) as string,
      });
    }

    expect(asked).toEqual(keys);
    expect(await open()).toBe(own);
  });

  it.each<[string, (round: number) => unknown, string]>([
    ["returned a wrong model", () => ({}), needed],
    [
      "failed",
      (round) => {
        throw new Error(`The store of keys is away, ${round}.`);
      },
      "The store of keys is away",
    ],
  ])("is made anew after withKey has %s, and kept from then on", async (_, fail, message) => {
    const { open, asked } = keysOf((key, round) => (round <= 2 ? fail(round) : modelOf(`${key}-${round}`)));
    for (let round = 1; round <= 2; round += 1) await expect(open("sk-1")).rejects.toThrow(message);
    const made = await open("sk-1");

    expect(made.modelId).toBe("sk-1-3");
    expect(await open("sk-1")).toBe(made);
    expect((await open("sk-2")).modelId).toBe("sk-2-4");
    expect(await open("sk-1")).toBe(made);
    expect(asked).toEqual(["sk-1", "sk-1", "sk-1", "sk-2"]);
  });

  it("is not asked for by calls without a key, nor by a malformed key", async () => {
    const { open, asked } = keysOf((key) => modelOf(key));

    expect([await open(), await open()]).toEqual([own, own]);
    for (const key of ["", " ", "a\nb", "é"])
      await expect(open(key)).rejects.toMatchObject({ code: "invalid_request" });
    expect(asked).toEqual([]);
  });
});
