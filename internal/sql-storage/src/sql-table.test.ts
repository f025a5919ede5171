import { describe, expect, it } from "vitest";
import { tableNameOption } from "./sql-table.ts";

describe("tableNameOption", () => {
  it.each(["a", "_a1", "troupe_records", "a".repeat(48)])("takes %s", (name) => {
    expect(tableNameOption(name, "table", {})).toBe(name);
  });

  it.each(["", "1a", "a b", 'a"', "a;drop", "A", "é", "a".repeat(49), "sqlite_a", "pg_a", undefined, 1])(
    "refuses %s and names the option",
    (name) => {
      expect(() => tableNameOption(name, "table", {})).toThrow(
        expect.objectContaining({
          code: "invalid_config",
          message: expect.stringMatching(/^table must be at most 48/),
        }),
      );
    },
  );
});
