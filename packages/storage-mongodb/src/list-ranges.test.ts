import { describe, expect, it } from "vitest";
import { listRanges } from "./list-ranges.ts";
import type { MongoSession } from "./stored-record.ts";

type Stage = Readonly<Record<string, unknown>>;

/** A session whose collection answers each request with one record of each range, and keeps what it is sent. */
function open() {
  const sent: { pipeline: Stage[]; options: unknown }[] = [];
  const session = {};
  const records = {
    collectionName: "records",
    aggregate: (pipeline: Stage[], options: unknown) => {
      sent.push({ pipeline, options });
      const ranges = 1 + pipeline.filter((stage) => "$unionWith" in stage).length;
      const found = Array.from({ length: ranges }, (_, range) => ({ _id: "n/k", v: `${sent.length}.${range}`, range }));
      return { toArray: async () => found };
    },
  };
  return { mongo: { records, session, timeoutMs: 1000 } as unknown as MongoSession, sent, session };
}

describe("listRanges", () => {
  it("lists each range in its order, up to its limit, with one request", async () => {
    const { mongo, sent, session } = open();
    const ranges = [
      { namespace: "n", from: "a", to: "b", limit: undefined, reverse: false },
      { namespace: "n", from: "c", to: "d", limit: 2, reverse: true },
    ];
    const listed = await listRanges(mongo, { ranges, options: { readConcern: { level: "snapshot" } } });

    expect(listed).toEqual([[{ key: "k", text: "1.0" }], [{ key: "k", text: "1.1" }]]);
    expect(sent).toEqual([
      {
        pipeline: [
          { $match: { _id: { $gte: "n/a", $lt: "n/b" } } },
          { $sort: { _id: 1 } },
          { $project: { v: 1, range: { $literal: 0 } } },
          {
            $unionWith: {
              coll: "records",
              pipeline: [
                { $match: { _id: { $gte: "n/c", $lt: "n/d" } } },
                { $sort: { _id: -1 } },
                { $limit: 2 },
                { $project: { v: 1, range: { $literal: 1 } } },
              ],
            },
          },
        ],
        options: { readConcern: { level: "snapshot" }, session },
      },
    ]);
  });

  it.each([
    { count: 0, requests: 0 },
    { count: 150, requests: 1 },
    { count: 151, requests: 2 },
    { count: 301, requests: 3 },
  ])("lists $count ranges with $requests requests, each in its place", async ({ count, requests }) => {
    const { mongo, sent } = open();
    const ranges = Array.from({ length: count }, () => ({
      namespace: "n",
      from: "a",
      to: "b",
      limit: undefined,
      reverse: false,
    }));
    const listed = await listRanges(mongo, { ranges, options: {} });

    expect(sent).toHaveLength(requests);
    expect(listed).toEqual(
      ranges.map((_, index) => [{ key: "k", text: `${Math.floor(index / 150) + 1}.${index % 150}` }]),
    );
  });
});
