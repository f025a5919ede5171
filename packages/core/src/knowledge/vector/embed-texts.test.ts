import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it } from "vitest";
import { generateEmbeddings } from "./embed-texts.ts";
import type { EmbeddingCall, EmbeddingLimits } from "./embed-texts.ts";

const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);
const numberIn = (text: string) => [Number(text.slice(5)), 1];

const call = { providerId: "openai" };

/** Embeds texts in a call that is ready. */
async function embedTexts(given: readonly string[], batches: Omit<EmbeddingCall, "call">): Promise<number[][]> {
  return await generateEmbeddings(given, async () => ({ call, ...batches }));
}

/** Embeds texts, and returns the lengths of the batches too. */
async function embed(given: readonly string[], limits: EmbeddingLimits) {
  const batches: number[] = [];
  const send = async (batch: readonly string[]) => {
    batches.push(batch.length);
    return batch.map(numberIn);
  };
  return { vectors: await embedTexts(given, { limits, length: undefined, send }), batches };
}

describe("generateEmbeddings", () => {
  it("splits texts by their number, and joins the vectors in their order", async () => {
    const { vectors, batches } = await embed(texts(600), { mostTexts: 256 });

    expect(batches).toEqual([256, 256, 88]);
    expect(vectors).toEqual(texts(600).map(numberIn));
  });

  it("splits texts by their length, and sends a long one alone", async () => {
    const [long, half] = ["x".repeat(300_000), "x".repeat(125_000)];

    const { batches } = await embed([half, half, half, long, half], { mostTexts: 256, mostCharacters: 250_000 });

    expect(batches).toEqual([2, 1, 1, 1]);
  });

  it("sends nothing if its signal was aborted while the call was opened", async () => {
    const controller = new AbortController();
    const sent: unknown[] = [];
    const made = generateEmbeddings(texts(3), async () => {
      controller.abort();
      const send = async (batch: readonly string[]) => {
        sent.push(batch);
        return batch.map(numberIn);
      };
      return { call: { ...call, signal: controller.signal }, limits: { mostTexts: 1 }, length: 2, send };
    });

    await expect(made).rejects.toMatchObject({ code: "cancelled" });
    expect(sent).toEqual([]);
  });

  it("opens no call for no texts", async () => {
    const prepare = () => Promise.reject(new Error("opened"));

    expect(await generateEmbeddings([], prepare)).toEqual([]);
  });

  it("keeps the order where requests run at once and the first ends last, and runs no more at once", async () => {
    let [running, most] = [0, 0];
    const send = async ([text = ""]: readonly string[]) => {
      most = Math.max(most, (running += 1));
      for (let turn = Number(text.slice(5)); turn < 20; turn += 1) await Promise.resolve();
      running -= 1;
      return [numberIn(text)];
    };
    const limits = { mostTexts: 1, concurrency: 4 };

    expect(await embedTexts(texts(20), { limits, length: 2, send })).toEqual(texts(20).map(numberIn));
    expect(most).toBe(4);
  });

  it("sends no further batch after one failed", async () => {
    let sent = 0;
    const send = async (batch: readonly string[]) => {
      sent += 1;
      if (batch[0] === "text 1") throw new Error("no");
      await new Promise((resolve) => setImmediate(resolve));
      return batch.map(numberIn);
    };

    const failed = embedTexts(texts(50), { limits: { mostTexts: 1, concurrency: 2 }, length: 2, send });

    await expect(failed).rejects.toMatchObject({ name: "ModelError", providerId: "openai" });
    await letRun();
    expect(sent).toBe(2);
  });

  it.each<[string, number[][], number | undefined]>([
    ["fewer vectors than texts", [[1]], undefined],
    ["more vectors than texts", [[1], [1], [1]], undefined],
    ["vectors of two lengths", [[1], [1, 2]], undefined],
    ["vectors of another length than expected", [[1], [1]], 2],
    ["vectors of nothing", [[], []], undefined],
  ])("throws for %s", async (_, vectors, length) => {
    const failed = embedTexts(["rain", "sun"], {
      limits: { mostTexts: 9 },
      length,
      send: async () => vectors,
    });

    await expect(failed).rejects.toThrow("sent vectors of another number or length");
  });

  it("throws for a second batch with vectors of another length than those of the first", async () => {
    const send = async ([text]: readonly string[]) => [text === "text 1" ? [1] : [1, 2]];

    const failed = embedTexts(texts(2), { limits: { mostTexts: 1 }, length: undefined, send });

    await expect(failed).rejects.toThrow("another number or length");
  });

  it("names the text that is empty before it opens a call, and throws what opening throws as it is", async () => {
    const refused = new Error("refused");
    const prepare = () => Promise.reject(refused);

    await expect(generateEmbeddings(["rain", ""], prepare)).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringContaining("text 1"),
    });
    await expect(generateEmbeddings(["rain"], prepare)).rejects.toBe(refused);
  });

  it("sends nothing once the signal has aborted", async () => {
    const send = () => Promise.reject(new Error("sent"));
    const prepare = async () => ({
      call: { ...call, signal: AbortSignal.abort() },
      limits: { mostTexts: 1 },
      length: undefined,
      send,
    });

    await expect(generateEmbeddings(["rain"], prepare)).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("the batches of generateEmbeddings", () => {
  const batchesOf = async (given: readonly string[], limits: EmbeddingLimits) => {
    const batches: string[][] = [];
    await embedTexts(given, {
      limits,
      length: undefined,
      send: async (batch) => (batches.push([...batch]), batch.map(() => [1])),
    });
    return batches;
  };

  it.each([
    [["aa", "bb", "c"], { mostTexts: 9, mostCharacters: 4 }, [["aa", "bb"], ["c"]]],
    [["aa", "bb", "c"], { mostTexts: 9, mostCharacters: 5 }, [["aa", "bb", "c"]]],
    [["aaaa", "b", "c"], { mostTexts: 9, mostCharacters: 3 }, [["aaaa"], ["b", "c"]]],
    [["b", "aaaa", "c"], { mostTexts: 9, mostCharacters: 3 }, [["b"], ["aaaa"], ["c"]]],
    [["a", "b", "c"], { mostTexts: 2 }, [["a", "b"], ["c"]]],
    [["a", "b"], { mostTexts: 2 }, [["a", "b"]]],
    [["a", "b", "c"], { mostTexts: 1, concurrency: 2 }, [["a"], ["b"], ["c"]]],
  ])("the batches of generateEmbeddings of %j within %j are %j", async (given, limits, expected) => {
    expect(await batchesOf(given, limits)).toEqual(expected);
  });
});

it.each([
  [["", "a"], 0],
  [["a", "b", ""], 2],
])("an empty text among %j is named by its index", async (given, index) => {
  await expect(generateEmbeddings(given, () => Promise.reject(new Error("sent")))).rejects.toMatchObject({
    code: "invalid_value",
    message: `An empty text has no embedding, and text ${index} is empty. Leave it out.`,
  });
});
