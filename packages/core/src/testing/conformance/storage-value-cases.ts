import { assert, rejectsWith } from "./assert.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** Cases of `storageDriverCases` for values. */
export const storageValueCases = {
  "keeps numbers unchanged": async (driver) => {
    await keeps(driver, [0, -1.5, 0.1, 1e21, 5e-324, 1e308, 2 ** 53, Number.MAX_SAFE_INTEGER, -Number.MAX_VALUE]);
  },
  "keeps every character of a string": async (driver) => {
    await keeps(driver, ["a\0b\\u0000", "\u2028\u2029\ufeff\ufffd", "😀 é e\u0301 עברית", " \r\n\t", "'\"`\\ %_"]);
  },
  "keeps a string of a million characters": async (driver) => {
    await keeps(driver, ["x😀".repeat(333_334)]);
  },
  "keeps an array of ten thousand entries": async (driver) => {
    await keeps(driver, [Array.from({ length: 10_000 }, (_, index) => ({ index }))]);
  },
  "keeps null within a value": async (driver) => await keeps(driver, [[null], { a: null }]),
  "keeps the name of every member": async (driver) => {
    await keeps(driver, [
      { "": 1, "a.b": 2, $ne: null, $set: {}, "a\0b": 3, ключ: 4, _id: 5, key: 6, value: 7 },
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as Json,
    ]);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  },
  "treats objects with a meaning in other systems as data": async (driver) => {
    await keeps(driver, [
      { lc: 1, type: "secret", id: ["HOME"] },
      { $date: "2026-01-01", $oid: "000000000000000000000000", __type: "Date" },
      { toJSON: "text" },
    ]);
  },
  "does not parse a string as JSON or as a date": async (driver) => {
    await keeps(driver, ["null", "1", '{"a":1}', '"quoted"', "2026-01-01T00:00:00.000Z"]);
  },
  "leaves out members that are undefined": async (driver) => {
    await driver.set("ns", "k", { a: 1, title: undefined } as unknown as Json);

    assert.deepEqual(await driver.get("ns", "k"), { a: 1 });
  },
  "stores 64 levels": async (driver) => await keeps(driver, [nested(64)]),
  "refuses 65 levels": async (driver) => {
    await rejectsWith(driver.set("ns", "k", nested(65)), "invalid_value");
    await rejectsWith(driver.set("ns", "k", nested(10_000)), "invalid_value");
  },
  "refuses values that are not JSON": async (driver) => {
    const values = [undefined, () => 1, Symbol("s"), 1n, NaN, Infinity, new Date(), new Map(), [undefined], cycle()];
    for (const value of values as Json[]) {
      await rejectsWith(driver.set("ns", "k", value), "invalid_value");
      await rejectsWith(driver.set("ns", "k", { deep: [value] }), "invalid_value");
    }
  },
  "refuses unpaired surrogates in strings and names": async (driver) => {
    for (const value of ["\ud800", ["a\udc00"], { "\ud800": 1 }])
      await rejectsWith(driver.set("ns", "k", value), "invalid_value");
  },
  "keeps the old value when it refuses the new one": async (driver) => {
    await driver.set("ns", "k", "old");
    for (const value of [NaN, { a: 1n }, nested(65), "\ud800"])
      await driver.set("ns", "k", value as Json).catch(() => undefined);

    assert.deepEqual(await driver.list("ns"), [{ key: "k", value: "old" }]);
  },
  "keeps no reference to the caller's object": async (driver) => {
    const value = { list: [1], deep: { a: 1 } };
    const stored = driver.set("ns", "k", value);
    value.list.push(2);
    await stored;
    value.deep.a = 2;

    assert.deepEqual(await driver.get("ns", "k"), { list: [1], deep: { a: 1 } });
  },
  "returns a new object to every caller": async (driver) => {
    await driver.set("ns", "k", { list: [1] });
    const [one, other] = [await driver.get("ns", "k"), await driver.get("ns", "k")];
    (one as { list: number[] }).list.push(2);

    assert.deepEqual(other, { list: [1] });
    assert.deepEqual(await driver.get("ns", "k"), { list: [1] });
  },
  "lists new objects to every caller": async (driver) => {
    await driver.set("ns", "k", { list: [1] });
    for (const { value } of await driver.list("ns")) (value as { list: number[] }).list.push(2);

    assert.deepEqual(await driver.list("ns"), [{ key: "k", value: { list: [1] } }]);
  },
} satisfies ConformanceCases<StorageDriver>;

/** Asserts that `get` and `list` return the stored values. */
async function keeps(driver: StorageDriver, values: readonly Json[]): Promise<void> {
  for (const [index, value] of values.entries()) await driver.set("ns", `k${index}`, value);

  for (const [index, value] of values.entries()) {
    const [got, [listed]] = [await driver.get("ns", `k${index}`), await driver.list("ns", `k${index}`)];
    assert.equal(sortedJson(got), sortedJson(value));
    assert.equal(sortedJson(listed?.value), sortedJson(value));
  }
}

/** Returns a value as JSON with sorted members, because not every database keeps their order. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1))
      : part,
  );
}

function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = { in: value };
  return value;
}

function cycle(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}
