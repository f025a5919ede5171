import { expect, it } from "vitest";
import { checkTableName } from "./check-table-name.ts";

it.each(["a", "_a1", "troupe_records", "a".repeat(48)])("checkTableName takes %s", (name) => {
  expect(checkTableName(name, "table")).toBe(name);
});

it.each(["", "1a", "a b", 'a"', "a;drop", "A", "é", "a".repeat(49), "sqlite_a", "pg_a", undefined, 1])(
  "checkTableName refuses %s and names the option",
  (name) => {
    expect(() => checkTableName(name, "table")).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("table must be a name") }),
    );
  },
);
