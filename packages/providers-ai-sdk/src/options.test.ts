import { createLogger } from "@troupe/core";
import type { ContentPart } from "@troupe/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { silentModels } from "../test/silent-model.ts";
import { fromAiSdk } from "./index.ts";
import { readEmbeddingOptions, readModelOptions } from "./options.ts";
import type { AiSdkEmbeddingOptions, AiSdkOptions } from "./options.ts";

const { language, embedding } = silentModels("v4");
const withKey = () => language;
const withEmbeddingKey = () => embedding;

/** The settings of a language model without its logger, which is made for it. */
function read(options: AiSdkOptions = {}) {
  const { logger: _, ...settings } = readModelOptions(language, options);
  return settings;
}

describe("the options of a language model", () => {
  const usual = { providerId: "acme", timeoutMs: 600_000, idleTimeoutMs: 60_000, allowPrivateUrls: false };

  it("have these defaults, also where they are given as undefined", () => {
    const names = ["providerId", "withKey", "timeoutMs", "idleTimeoutMs", "parts", "allowPrivateUrls", "logger"];
    const undefinedOnes = Object.fromEntries(names.map((name) => [name, undefined]));

    expect(read()).toEqual(usual);
    expect(read(undefinedOnes)).toEqual(usual);
  });

  it.each<AiSdkOptions>([
    { providerId: "é-1" },
    { withKey },
    { timeoutMs: 1 },
    { timeoutMs: 2 ** 31 - 1 },
    { idleTimeoutMs: 1 },
    { idleTimeoutMs: 2 ** 31 - 1 },
    { parts: [] },
    { parts: ["audio"] },
    { parts: ["image", "audio", "file"] },
    { allowPrivateUrls: true },
    { providerId: "b", withKey, timeoutMs: 2, idleTimeoutMs: 3, parts: ["file"], allowPrivateUrls: true },
  ])("take %j, and keep the defaults of the others", (options) => {
    expect(read(options)).toEqual({ ...usual, ...options });
  });

  it("log nothing by default, and to the given logger", () => {
    const writes = [process.stdout, process.stderr].map((output) => vi.spyOn(output, "write").mockReturnValue(true));
    onTestFinished(() => void vi.restoreAllMocks());
    const logged = vi.fn<(line: string) => void>();
    const logger = createLogger({ level: "debug", write: logged });
    for (const options of [{}, { logger: undefined }, { logger }]) {
      const made = readModelOptions(language, options).logger;
      for (const level of ["debug", "info", "warn", "error"] as const) made[level]("seed is omitted");
    }

    expect(writes.map(({ mock }) => mock.calls)).toEqual([[], []]);
    expect(logged).toHaveBeenCalledTimes(4);
  });

  it.each<[part: ContentPart, kind: "image" | "audio" | "file"]>([
    [{ type: "image", data: "iVBORw0KGgo=" }, "image"],
    [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }, "audio"],
    [{ type: "file", data: "JVBERi0=", mimeType: "application/pdf", filename: "é.pdf" }, "file"],
  ])("let a model take %j by default, and refuse it where other parts are listed", async (part, kind) => {
    const messages = [{ role: "user" as const, content: [part] }];
    const models = silentModels("v4");
    const controller = new AbortController();
    const taken = fromAiSdk(models.language).generate(messages, { signal: controller.signal });
    void models.silent.then(() => controller.abort());
    await expect(taken).rejects.toMatchObject({ code: "cancelled" });
    const parts = (["image", "audio", "file"] as const).filter((each) => each !== kind);
    const refused = fromAiSdk(models.language, { parts }).generate(messages);

    await expect(refused).rejects.toMatchObject({ code: "unsupported_media_type" });
    expect(models.signals).toHaveLength(1);
  });
});

describe("the options of an embedding model", () => {
  const usual = { providerId: "acme", timeoutMs: 600_000 };

  it("have these defaults", () => {
    const undefinedOnes = { providerId: undefined, withKey: undefined, timeoutMs: undefined, dimensions: undefined };

    expect(readEmbeddingOptions(embedding, {})).toEqual(usual);
    expect(readEmbeddingOptions(embedding, undefinedOnes)).toEqual(usual);
  });

  it.each<AiSdkEmbeddingOptions>([
    { providerId: "é-1" },
    { withKey: withEmbeddingKey },
    { timeoutMs: 1 },
    { timeoutMs: 2 ** 31 - 1 },
    { dimensions: 1 },
    { providerId: "b", withKey: withEmbeddingKey, timeoutMs: 2, dimensions: 3 },
  ])("take %j, and keep the defaults of the others", (options) => {
    expect(readEmbeddingOptions(embedding, options)).toEqual({ ...usual, ...options });
  });
});

describe("a wrong option", () => {
  const text = "must be a string that is not blank, got";
  const time = "must be an integer from 1 to 2147483647, got";
  const shared: [object, string][] = [
    [{ providerId: "" }, `providerId ${text} a string.`],
    [{ providerId: " \n" }, `providerId ${text} a string.`],
    [{ providerId: 1 }, `providerId ${text} 1.`],
    [{ providerId: null }, `providerId ${text} null.`],
    [{ withKey: "sk" }, "withKey must be a function, got a string."],
    [{ withKey: null }, "withKey must be a function, got null."],
    ...[0, -1, 1.5, 2 ** 31, Infinity, NaN].map((ms): [object, string] => [
      { timeoutMs: ms },
      `timeoutMs ${time} ${ms}.`,
    ]),
    [{ timeoutMs: "1" }, `timeoutMs ${time} a string.`],
    [{ timeoutMs: null }, `timeoutMs ${time} null.`],
  ];
  const ofLanguage: [object, string][] = [
    ...[0, -1, 1.5, 2 ** 31, Infinity, NaN].map((ms): [object, string] => [
      { idleTimeoutMs: ms },
      `idleTimeoutMs ${time} ${ms}.`,
    ]),
    [{ parts: "image" }, "parts must be an array of kinds of parts, got a string."],
    [{ parts: ["image", "text"] }, 'parts[1] must be "image", "audio" or "file", got a string.'],
    [{ allowPrivateUrls: 1 }, "allowPrivateUrls must be true or false, got 1."],
    [{ logger: {} }, "logger must be a logger such as createLogger({ level })"],
    [{ dimensions: 1 }, 'Unknown option "dimensions" of fromAiSdk.'],
    [{ toString: 1 }, 'Unknown option "toString" of fromAiSdk.'],
  ];
  const ofEmbedding: [object, string][] = [
    ...[0, -1, 1.5].map((size): [object, string] => [
      { dimensions: size },
      `dimensions must be a positive integer, got ${size}.`,
    ]),
    [{ idleTimeoutMs: 1 }, 'Unknown option "idleTimeoutMs" of fromAiSdk.'],
    [{ parts: ["image"] }, 'Unknown option "parts" of fromAiSdk.'],
    [{ logger: createLogger() }, 'Unknown option "logger" of fromAiSdk.'],
  ];

  it.each([
    ...[...shared, ...ofLanguage].map((each) => ["a language model", language, ...each] as const),
    ...[...shared, ...ofEmbedding].map((each) => ["an embedding model", embedding, ...each] as const),
  ])("a wrong option of %s is refused each time: %s %j", (...given) => {
    const [, model, options, message] = given;
    for (let round = 0; round < 3; round += 1) {
      expect(() => fromAiSdk(model as never, options)).toThrow(
        expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }),
      );
    }
  });
});
