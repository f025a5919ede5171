import { expect, it, onTestFinished } from "vitest";
import { useVectorFiles } from "../test/stores.ts";
import { VectorFile } from "./vector-file.ts";
import { vectorTables } from "./vector-tables.ts";

const newVectorFile = useVectorFiles();

// What SQLite is asked. If a change is meant, write the outline anew by `vitest --update`.
it("the statements of a store are these", async () => {
  const lines = Object.entries(vectorTables("t")).map(([name, given]: [string, unknown]) => {
    const sql = typeof given === "function" ? (given as (name: string) => string)("max") : JSON.stringify(given);
    return `${name}: ${sql.replaceAll(/(?:\s|\\n)+/g, " ")}`;
  });

  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/statements.txt");
});

it.each([
  ["normal", 1],
  ["full", 2],
] as const)("a new file with the durability %s has these settings", async (durability, synchronous) => {
  const settings = { durability, busyTimeoutMs: 5000, table: "troupe_vectors", warn: () => {} };
  const file = await VectorFile.open(newVectorFile(), settings);
  onTestFinished(() => file.close());
  const read = async (name: string) =>
    await file.write(async (writer) => await Promise.resolve(writer.row(`pragma ${name}`)?.[0]));

  expect([await read("page_size"), await read("journal_mode"), await read("synchronous")]).toEqual([
    32_768,
    "wal",
    synchronous,
  ]);
  expect([await read("cache_size"), await read("wal_autocheckpoint")]).toEqual([-16_000, 123]);
});
