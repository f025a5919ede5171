import { describe, expect, it } from "vitest";
import { toRequests } from "./point-requests.ts";

describe("toRequests", () => {
  it("makes each request when it is asked for, so that a large change is not in memory twice", () => {
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
    const requests = toRequests({ documents, deletedIds: ["a"], deletedWhere: undefined });
    requests.next();

    expect(read).toBeLessThan(20);
    expect([...requests].flat().at(-1)).toHaveProperty("delete.points.length", 1);
  });

  it("makes none for a change without anything", () => {
    expect([...toRequests({ documents: [], deletedIds: [], deletedWhere: undefined })]).toEqual([]);
  });
});
