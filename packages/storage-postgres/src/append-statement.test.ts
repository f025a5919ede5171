import type { AppendRequest } from "@troupe/core/storage";
import { compileStatements } from "@troupe-internal/sql-storage";
import { describe, expect, it } from "vitest";
import { appendStatement } from "./append-statement.ts";

const statements = await compileStatements("postgres", { name: "t", schema: "s" });
const append = appendStatement(statements, '"s"."t"');

describe("appendStatement", () => {
  const flat = (sql: string) => sql.trim().replaceAll(/\s+/g, " ");
  const request: AppendRequest = { namespace: "n", keyPrefix: "p/", text: "1", lease: undefined };
  const last = statements.lastNumbered(request);
  const at = (index: number) => `$${last.parameters.length + index}::text`;
  const rest = (lease: string) =>
    `insert into "s"."t" (namespace, key, value) select ${at(1)}, ${at(2)} || lpad(number::text, 12, '0'), ${at(3)} from next${lease} where number <= 999999999999 on conflict do nothing returning key`;
  const next = "next as (select coalesce((select right(key, 12)::bigint from last), 0) + 1 as number)";

  it("finds the number and inserts", () => {
    const { sql, parameters } = append(request);

    expect(flat(sql)).toBe(`with last as (${flat(last.sql)}), ${next} ${rest("")}`);
    expect(parameters).toEqual([...last.parameters, "n", "p/", "1"]);
    expect(append({ ...request, lease: { key: "l", token: 1 } })).toEqual({ sql, parameters });
    expect(append(request, "text")).toEqual({ sql, parameters });
  });

  it("locks the lease with its text, so that a takeover waits", () => {
    const { sql, parameters } = append({ ...request, lease: { key: "l", token: 1 } }, "text");

    expect(flat(sql)).toBe(
      `with last as (${flat(last.sql)}), ${next}, held as ( select from "s"."t" where namespace = 'locks' and key = ${at(4)} and value = ${at(5)} for share ) ${rest(", held")}`,
    );
    expect(parameters).toEqual([...last.parameters, "n", "p/", "1", "l", "text"]);
  });
});
