import { describe, expect, it } from "vitest";
import { TextIndex } from "./text-index.ts";
import { queryTerms } from "./text-terms.ts";

const text = (id: string, content: string) => ({ id, content });

async function indexOf(...contents: string[]) {
  const index = new TextIndex();
  for (const [at, content] of contents.entries()) index.add(text(`d${at}`, content));
  await index.complete();
  const scores = (query: string) => {
    const found = new Map<string, number>();
    index.eachMatch(queryTerms(query), (id, score) => found.set(id, score));
    return found;
  };
  return { index, scores, idsOf: (query: string) => [...scores(query).keys()] };
}

describe("TextIndex", () => {
  it("measures by BM25: the rarity of words, their number, and the length of the text", async () => {
    const { scores } = await indexOf("x b", "x x b", "x c d e");
    const rarity = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
    const measure = (count: number, length: number) =>
      (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / 3));

    expect(scores("b").get("d0")).toBeCloseTo(measure(1, 2), 10);
    expect(scores("b").get("d1")).toBeCloseTo(measure(1, 3), 10);
    expect(scores("b").has("d2")).toBe(false);
    expect(scores("b b B").get("d0")).toBeCloseTo(measure(1, 2), 10);
    expect(scores("x b").get("d1")).toBeGreaterThan(scores("b").get("d1") ?? Number.NaN);
  });

  it.each([
    ["Cafés", "cafe"],
    ["cafe", "CAFÉ"],
    ["ﬁle", "filing"],
    ["東京です", "京"],
    ["東京です", "東京"],
    ["ห้องน้ำ", "น้ำ"],
    ["дождь идёт", "Дождь"],
    ["v 2.0", "2"],
  ])("finds %j by %j", async (content, query) => {
    expect((await indexOf("another text", content)).idsOf(query)).toEqual(["d1"]);
  });

  it("has no trace of a text that was removed, indexed or waiting", async () => {
    const kept = await indexOf("rain falls", "snow");
    const { index, scores } = await indexOf("rain falls", "rain rain sleet", "snow");
    index.add(text("waiting", "rain"));
    index.remove(text("waiting", "rain"));
    index.remove(text("d1", "rain rain sleet"));
    index.remove(text("never", "rain"));
    await index.complete();

    expect([...scores("sleet")]).toEqual([]);
    expect(scores("rain falls").get("d0")).toBe(kept.scores("rain falls").get("d0"));
    expect(scores("snow").get("d2")).toBe(kept.scores("snow").get("d1"));
  });

  it("indexes a text again that was removed", async () => {
    const { index, idsOf } = await indexOf("rain", "rain");
    index.remove(text("d0", "rain"));
    index.add(text("d0", "snow"));
    await index.complete();

    expect([idsOf("rain"), idsOf("snow")]).toEqual([["d1"], ["d0"]]);
  });

  it("stays as small as its texts when they are replaced again and again", async () => {
    const { index, scores } = await indexOf("rain falls", "snow falls slowly", "é");
    const fresh = await indexOf("rain falls", "snow falls slowly", "é 4999");
    for (let round = 0; round < 5000; round++) {
      index.remove(text("d2", round === 0 ? "é" : `é ${round - 1}`));
      index.add(text("d2", `é ${round}`));
      await index.complete();
    }

    expect(index.slots).toBeLessThan(1100);
    for (const query of ["rain", "falls", "é", "4999", "4998"]) expect(scores(query)).toEqual(fresh.scores(query));
  });

  it("takes texts that are added while it is completed, by several searches at once", async () => {
    const index = new TextIndex();
    for (let at = 0; at < 3000; at++) index.add(text(`d${at}`, `word${at} ${"long text ".repeat(30)}`));
    const completed = Promise.all([index.complete(), index.complete()]);
    index.add(text("late", "late"));
    index.remove(text("d2999", `word2999 ${"long text ".repeat(30)}`));
    await completed;
    const found: string[] = [];
    index.eachMatch(["late", "word0", "word2998", "word2999"], (id) => found.push(id));

    expect(found.toSorted()).toEqual(["d0", "d2998", "late"]);
  });
});
