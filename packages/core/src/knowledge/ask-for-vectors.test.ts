import { describe, expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { EmbeddingProvider } from "./vector/embedding-provider.ts";
import { askForVectors, embedText, requireEmbeddings } from "./ask-for-vectors.ts";

type Facts = Partial<Pick<EmbeddingProvider, "providerId" | "dimensions">>;

/** A provider that gives these vectors, whatever they are, and the arguments of its calls. */
function giving(vectors: unknown, facts: Facts = {}) {
  const calls: unknown[] = [];
  const embed = async (...given: unknown[]) => await Promise.resolve((calls.push(given), (vectors as number[][])[0]));
  const embedBatch = async (...given: unknown[]) => await Promise.resolve((calls.push(given), vectors));
  return { ...facts, embed, embedBatch, calls } as EmbeddingProvider & { calls: unknown[] };
}

const failure = (message: string, fields: object = {}) => ({ code: "model_failed", message, fields });

describe("requireEmbeddings", () => {
  it("returns the provider, and says what to do without one", () => {
    const embeddings = giving([]);

    expect(requireEmbeddings(embeddings)).toBe(embeddings);
    expect(() => requireEmbeddings(undefined)).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringMatching(/^There are no embeddings\. /),
      }),
    );
  });
});

describe("askForVectors", () => {
  it("returns the vectors in their order, from one call with its options", async () => {
    const vectors = [
      [1, 0],
      [0, -2],
    ];
    const embeddings = giving(vectors);
    const options = { signal: new AbortController().signal };

    expect(await askForVectors(embeddings, ["a", "b"], options)).toEqual(vectors);
    expect(embeddings.calls).toEqual([[["a", "b"], options]]);
    expect(await askForVectors(giving([]), [], {})).toEqual([]);
    expect(await askForVectors(giving(vectors, { dimensions: 2 }), ["a", "b"], {})).toEqual(vectors);
  });

  it.each<[unknown, Facts, string]>([
    [[[1, 0]], {}, "gave 1 vectors for 2 texts"],
    [[[1], [1], [1]], {}, "gave 3 vectors for 2 texts"],
    [undefined, {}, "gave no vectors for 2 texts"],
    [{ length: 2 }, {}, "gave no vectors for 2 texts"],
    [[[1, 0], [1]], {}, "gave a vector of 1 numbers where 2 were expected"],
    [
      [
        [1, 0],
        [1, 0],
      ],
      { dimensions: 3 },
      "gave a vector of 2 numbers where 3 were expected",
    ],
    [[[1, 0], undefined], {}, "gave a vector of 0 numbers where 2 were expected"],
    [["ab", "cd"], {}, "gave a vector that cannot be compared"],
    [[[], []], {}, "gave a vector that cannot be compared"],
    [
      [
        [1, 0],
        [0, 0],
      ],
      {},
      "gave a vector that cannot be compared",
    ],
    [
      [
        [1, 0],
        [1, Number.NaN],
      ],
      {},
      "gave a vector that cannot be compared",
    ],
    [
      [
        [1, 0],
        [1, "0"],
      ],
      {},
      "gave a vector that cannot be compared",
    ],
  ])("refuses %j with %j", async (vectors, facts, problem) => {
    await expect(askForVectors(giving(vectors, facts), ["a", "b"], {})).rejects.toMatchObject(
      failure(`The embeddings ${problem}.`),
    );
    const named = giving(vectors, { ...facts, providerId: "one" });
    await expect(askForVectors(named, ["a", "b"], {})).rejects.toMatchObject(
      failure(`The embeddings of one ${problem}.`, { vendor: "one" }),
    );
  });

  it("keeps the reason why a vector cannot be compared", async () => {
    await expect(askForVectors(giving([[0, 0]]), ["a"], {})).rejects.toMatchObject({
      cause: { code: "invalid_value", message: "The embedding must not be zero, which has no direction." },
    });
  });
});

describe("embedText", () => {
  it("returns the vector of one text", async () => {
    const embeddings = giving([[1, 0]], { dimensions: 2 });
    const options = {};

    expect(await embedText(embeddings, "a", options)).toEqual([1, 0]);
    expect(embeddings.calls).toEqual([["a", options]]);
    await expect(embedText(giving([[1, 0]], { dimensions: 3 }), "a", {})).rejects.toMatchObject(
      failure("The embeddings gave a vector of 2 numbers where 3 were expected."),
    );
    await expect(embedText(giving([undefined]), "a", {})).rejects.toMatchObject({ code: "model_failed" });
  });
});

describe.each([
  [
    "askForVectors",
    async (embeddings: EmbeddingProvider, signal?: AbortSignal) =>
      await askForVectors(embeddings, ["a"], signal ? { signal } : {}),
  ],
  [
    "embedText",
    async (embeddings: EmbeddingProvider, signal?: AbortSignal) =>
      await embedText(embeddings, "a", signal ? { signal } : {}),
  ],
] as const)("%s", (_name, ask) => {
  const failing = (thrown: unknown) => {
    const fail = () => Promise.reject(thrown);
    return { embed: fail, embedBatch: fail } as EmbeddingProvider;
  };

  it("passes on an error of the provider, and makes one of any other", async () => {
    const limited = new TroupeError("rate_limited", "Too fast.");

    await expect(ask(failing(limited))).rejects.toBe(limited);
    await expect(ask(failing(new Error("secret")))).rejects.toMatchObject({ code: expect.any(String) });
    const throwing = { embed: () => expect.unreachable(), embedBatch: () => expect.unreachable() };
    await expect(ask(throwing)).rejects.toBeInstanceOf(TroupeError);
  });

  it("does not wait for a provider that ignores its signal, nor call it for one that has aborted", async () => {
    let calls = 0;
    const hang = () => new Promise<never>(() => void (calls += 1));
    const deaf = { embed: hang, embedBatch: hang } as EmbeddingProvider;
    const abort = new AbortController();
    const asking = ask(deaf, abort.signal);
    abort.abort();

    await expect(asking).rejects.toMatchObject({ code: "cancelled" });
    await expect(ask(deaf, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
    expect(calls).toBe(1);
  });
});
