import { expect, it } from "vitest";
import { toRequests } from "./point-requests.ts";

it("toRequests stores the words of documents in a collection that takes them, and counts their bytes", () => {
  const document = { id: "a", content: "a ".repeat(2_000_000), vector: Float32Array.of(1, 0), length: 1 };
  const words = Array.from({ length: 9000 }, (_, index) => `w${index}`).join(" ");
  const documents = [document, { ...document, id: "b", content: words }, { ...document, id: "c", content: "?" }];
  const change = { documents, deletedIds: [], deletedWhere: undefined };
  const points = (takesWords: boolean) =>
    [...toRequests(change, { takesWords })].flat().map((each) => ("upsert" in each ? each.upsert.points : []));

  const stored = points(true).flat();
  expect(stored[0]?.vector).toMatchObject({ "": [1, 0], words: { indices: [expect.any(Number)] } });
  expect(stored[1]?.vector).toHaveProperty("words.indices.length", 9000);
  expect(stored[2]?.vector).toEqual([1, 0]);
  expect(points(false).flat()[0]?.vector).toEqual([1, 0]);
  const sizeOf = (each: (typeof documents)[number]) =>
    [...toRequests({ ...change, documents: [each, ...Array.from({ length: 30 }, () => each)] }, { takesWords: true })]
      .length;
  expect(sizeOf({ ...document, content: words })).toBe(2);
});

it("toRequests makes each request when it is asked for, so that a large change is not in memory twice", () => {
  let read = 0;
  const documents = Array.from({ length: 100 }, (_, index) => ({
    id: `d${index}`,
    get content() {
      read += 1;
      return "x".repeat(2 ** 20);
    },
    vector: Float32Array.of(1, 0),
    length: 1,
  }));
  const change = { documents, deletedIds: ["a"], deletedWhere: undefined };
  const requests = toRequests(change, { takesWords: false });
  requests.next();

  expect(read).toBeLessThan(20);
  expect([...requests].flat().at(-1)).toHaveProperty("delete.points.length", 1);
});
