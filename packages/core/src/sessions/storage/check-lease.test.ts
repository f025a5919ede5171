import { describe, expect, it } from "vitest";
import { checkLeaseRecord, holdsToken } from "./check-lease.ts";
import type { Json } from "./json.ts";

describe("the fencing token of a stored queue", () => {
  it.each([
    [{ token: 3 }, 3, true],
    [{ v: 1, token: 0, processes: [] }, 0, true],
    [{ token: 3 }, 2, false],
    [{ token: 3 }, 4, false],
    [{ token: "3" }, 3, false],
    [{ token: null }, 0, false],
    [{}, 0, false],
    [null, 0, false],
    [3, 3, false],
    ["3", 3, false],
    [[3], 3, false],
  ] as [Json | null, number, boolean][])(
    "the fencing token of a stored queue in %j is %d: %s",
    (lease, token, holds) => {
      expect(holdsToken(lease, token)).toBe(holds);
    },
  );

  it("is not one that a prototype has", () => {
    const lease = Object.create({ token: 3 }) as Json;
    expect(holdsToken(lease, 3)).toBe(false);
  });
});

describe("the check of a lease as JSON text", () => {
  const required = { key: "-/ada/s", token: 3 };

  it("passes with the token of the lease", () => {
    expect(() => checkLeaseRecord('{"token":3}', required)).not.toThrow();
  });

  it.each([null, '{"token":4}', '{"token":2}', "{}", "null"])("refuses %j as conflict, with the key", (text) => {
    expect(() => checkLeaseRecord(text, required)).toThrow(
      expect.objectContaining({
        code: "conflict",
        message: "The lease is no longer held: another process took it over. Try again.",
        fields: { key: "-/ada/s" },
      }),
    );
  });

  it.each(["{", "", undefined, 5])("tells of a damaged queue %j by its place", (text) => {
    expect(() => checkLeaseRecord(text, required)).toThrow(
      expect.objectContaining({ code: "storage_corrupt", fields: { namespace: "locks", key: "-/ada/s" } }),
    );
  });
});
