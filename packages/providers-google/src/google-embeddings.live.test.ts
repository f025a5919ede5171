import { describe, expect, it } from "vitest";
import { googleEmbeddings } from "./index.ts";

const isLive = process.env["TROUPE_LIVE"] === "1";
const hasKey = [process.env["GOOGLE_API_KEY"], process.env["GEMINI_API_KEY"]].some((key) => (key ?? "") !== "");
const whyNot = isLive ? "neither GOOGLE_API_KEY nor GEMINI_API_KEY is set" : "TROUPE_LIVE is not 1";

const models = [undefined, "gemini-embedding-001", "gemini-embedding-2"];

if (!isLive || !hasKey) {
  const names = models.map((model) => model ?? "the default model").join(", ");
  process.stdout.write(`google's live tests of the embeddings of ${names} are skipped: ${whyNot}\n`);
}

describe.skipIf(!isLive || !hasKey).each(models)("Google's real embeddings of %s", { timeout: 120_000 }, (model) => {
  const named = model === undefined ? {} : { model };

  it("tell texts apart, at the model's own length and at a shorter one", async () => {
    const embeddings = googleEmbeddings(named);
    const [one, other] = await embeddings.embedBatch(["Rain in Oslo", "Invoices are due"]);
    const short = await googleEmbeddings({ ...named, dimensions: 256 }).embed("Rain in Oslo");

    expect([one?.length, other?.length]).toEqual([embeddings.dimensions ?? one?.length, one?.length]);
    expect(one).not.toEqual(other);
    expect([short.length, Math.hypot(...short)]).toEqual([256, expect.closeTo(1, 6)]);
  });

  it("come in the order of the texts, a hundred at a time", async () => {
    const embeddings = googleEmbeddings({ ...named, dimensions: 256 });
    const texts = Array.from({ length: 101 }, (_, index) => `The number ${index}`);
    const vectors = await embeddings.embedBatch(texts);
    const last = await embeddings.embed(texts[100] ?? "");

    const likeness = last.reduce((sum, value, index) => sum + value * (vectors[100]?.[index] ?? 0), 0);
    expect([vectors.length, likeness]).toEqual([101, expect.closeTo(1, 2)]);
  });
});
