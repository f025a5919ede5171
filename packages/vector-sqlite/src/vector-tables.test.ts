import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { vectorTables } from "./vector-tables.ts";

/** Returns how SQLite runs a statement, one line for each step. */
function planOf(sql: string): string[] {
  const tables = vectorTables("t");
  const database = new DatabaseSync(":memory:");
  for (const create of tables.create) database.exec(create);
  const plan = database.prepare(`explain query plan ${sql}`).all();
  database.close();
  return plan.map(({ detail }) => String(detail));
}

describe("vectorTables", () => {
  const { nearest, nearestWith, endOf, keysWith, get, getByKey, lastKey, removeTerms } = vectorTables("t");

  it("finds the documents of a filter by an index, and reads no others [sqlite.vector-store]", () => {
    const plan = planOf(nearestWith("max"));

    expect(plan[0]).toBe("SEARCH t USING PRIMARY KEY (term=? AND key>? AND key<?)");
    expect(plan).toContain("SEARCH v USING INTEGER PRIMARY KEY (rowid=?)");
  });

  it.each([nearest("max"), nearestWith("max"), endOf, keysWith, get, getByKey, lastKey, removeTerms])(
    "goes through no whole table: %s",
    (sql) => {
      const scans = planOf(sql).filter((step) => step.startsWith("SCAN"));

      // JSON of the call, and rows of an inner query.
      expect(scans.filter((step) => !/^SCAN (?:j|\(subquery)/.test(step))).toEqual([]);
    },
  );
});
