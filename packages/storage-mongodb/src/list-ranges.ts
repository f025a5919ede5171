import type { RangeQuery, TextRecord } from "@troupe/core/storage";
import type { AggregateOptions, Document } from "mongodb";
import { idOf, keyOf } from "./stored-record.ts";
import type { MongoSession, StoredRecord } from "./stored-record.ts";

/** Ranges of keys per request: MongoDB allows a thousand stages in a pipeline, and some hosted servers two hundred. */
const rangesAtOnce = 150;

type ListedRecord = StoredRecord & { readonly range: number };

/** Returns the records of each range in its order. One request lists many ranges with the index of ids. */
export async function listRanges(
  mongo: MongoSession,
  { ranges, options }: { ranges: readonly RangeQuery[]; options: AggregateOptions },
): Promise<TextRecord[][]> {
  const listed: TextRecord[][] = ranges.map(() => []);
  for (let first = 0; first < ranges.length; first += rangesAtOnce) {
    const group = ranges.slice(first, first + rangesAtOnce);
    const found = mongo.records.aggregate<ListedRecord>(unionOf(mongo, group), { ...options, session: mongo.session });
    for (const { _id, v, range } of await found.toArray()) {
      const { namespace = "" } = group[range] ?? {};
      listed[first + range]?.push({ key: keyOf(namespace, _id), text: v });
    }
  }
  return listed;
}

/** Returns the pipeline stages that list one range after the other. */
function unionOf({ records }: MongoSession, ranges: readonly RangeQuery[]): Document[] {
  const [first = [], ...others] = ranges.map(stagesOf);
  return [...first, ...others.map((pipeline) => ({ $unionWith: { coll: records.collectionName, pipeline } }))];
}

/** Returns the pipeline stages that list a range and add its number to each record. */
function stagesOf({ namespace, from, to, limit, reverse }: RangeQuery, range: number): Document[] {
  return [
    { $match: { _id: { $gte: idOf(namespace, from), $lt: idOf(namespace, to) } } },
    { $sort: { _id: reverse ? -1 : 1 } },
    ...(limit === undefined ? [] : [{ $limit: limit }]),
    { $project: { v: 1, range: { $literal: range } } },
  ];
}
