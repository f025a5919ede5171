import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { anyBody } from "../../test/any-body.ts";
import type { AnyBody } from "../../test/any-body.ts";
import type { RpcError } from "./a2a-error.ts";
import { writeFailure } from "./json-rpc.ts";
import { parseCall } from "./parse-call.ts";

const numRuns = { few: 1000, many: 20_000 }[inject("trials")];

/** All codes that a body alone can bring about. */
const knownCodes: readonly number[] = [-32700, -32600, -32601, -32602, -32003, -32009];

/** Reads a body; returns the operation or the code that came of it, with the id where one is expected. */
function outcomeOf({ body, version, ...expected }: AnyBody) {
  const { id, dialect, call, error } = parseCall(body, version);
  const written = error && dialect.writeError(error);
  const isTold = "op" in expected || "code" in expected;
  return {
    op: call?.op,
    code: written?.code,
    told: isTold ? { op: call?.op, code: written?.code } : {},
    ids: "id" in expected ? [id, expected.id] : [],
    isWellFormed: written === undefined || isErrorAnswer(writeFailure(id, written), dialect.version === "1.0"),
  };
}

/** Returns true if an answer has an error with its three fields alone, and in 1.0 details with a type each. */
function isErrorAnswer(answer: string, isTyped: boolean): boolean {
  const { error } = JSON.parse(answer) as { error: RpcError & { data: unknown } };
  const { code, message, data, ...others } = error;
  const details = Array.isArray(data) ? (data as Record<string, unknown>[]) : [];
  const hasTypes = details.length > 0 && details.every((detail) => typeof detail["@type"] === "string");
  return knownCodes.includes(code) && message !== "" && Object.keys(others).length === 0 && hasTypes === isTyped;
}

it("any body is a call or an error with the right code, and never an exception [a2a.any-body]", () => {
  const seen = new Set<unknown>();
  fc.assert(
    fc.property(anyBody, (made) => {
      const { op, code, told, ids, isWellFormed } = outcomeOf(made);
      seen.add(op ?? code);
      expect(told).toEqual(made.op === undefined && made.code === undefined ? {} : { op: made.op, code: made.code });
      expect(ids[0]).toBe(ids[1]);
      expect(isWellFormed).toBe(true);
    }),
    { numRuns },
  );
  expect(seen).toEqual(
    new Set([...knownCodes, "send", "stream", "get", "cancel", "subscribe", "extended-card", "list"]),
  );
});
