import { TroupeError } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { inTransaction } from "./connections.ts";
import type { Query } from "./connections.ts";
import { serverError } from "./test/fake-pool.ts";

const refused = () => new TroupeError("invalid_value", "Refused.");

describe("inTransaction", () => {
  /** Runs work in a transaction, and returns its outcome and what was sent. */
  async function run(work: (rows: readonly object[]) => Promise<unknown>, fails?: string) {
    const sent: [string, readonly unknown[]][] = [];
    const query = (async ({ sql, parameters }) => {
      sent.push([sql, parameters]);
      if (sql === fails) throw serverError("40001");
      return await Promise.resolve(sql === "begin; look" ? [{ a: 1 }] : []);
    }) as Query;
    const outcome = await inTransaction(query, "begin; look", work).catch((error: unknown) => error);
    return { outcome, sent: sent.map(([sql]) => sql), parameters: sent.flatMap(([, values]) => values) };
  }

  it("gives the rows of the beginning to the work, commits, and returns its result", async () => {
    const work = vi.fn<(rows: readonly object[]) => Promise<string>>().mockResolvedValue("done");

    expect(await run(work)).toEqual({ outcome: "done", sent: ["begin; look", "commit"], parameters: [] });
    expect(work.mock.calls).toEqual([[[{ a: 1 }]]]);
  });

  it("rolls back when the work throws a TroupeError", async () => {
    const error = refused();
    const { outcome, sent, parameters } = await run(() => Promise.reject(error));

    expect([outcome, sent, parameters]).toEqual([error, ["begin; look", "rollback"], []]);
  });

  it("passes on the failure of the rollback, whose connection is ended", async () => {
    const { outcome } = await run(() => Promise.reject(refused()), "rollback");

    expect(outcome).toMatchObject({ code: "40001" });
  });

  it("sends nothing more after any other error, whose connection is ended", async () => {
    const error = serverError("22012");
    const { outcome, sent } = await run(() => Promise.reject(error));

    expect([outcome, sent]).toEqual([error, ["begin; look"]]);
  });

  it.each(["begin; look", "commit"])("passes on the failure of %s", async (sql) => {
    const { outcome, sent } = await run(async () => {}, sql);

    expect(outcome).toMatchObject({ code: "40001" });
    expect(sent.at(-1)).toBe(sql);
  });
});
