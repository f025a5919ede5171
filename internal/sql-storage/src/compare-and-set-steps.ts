import { isDeepStrictEqual } from "node:util";
import type { Json } from "@troupe/core";
import { parseJson } from "@troupe/core/adapter";
import type { SqlCall, SqlSteps } from "./sql-steps.ts";
import type { Statements } from "./statements.ts";

/** A record to compare with `expected` and to set, as text, when it is that; `null` stands for no record. */
export type Swap = {
  readonly namespace: string;
  readonly key: string;
  readonly expected: Json | null;
  readonly next: string | null;
};

/**
 * Sets by comparison and says whether it did. Each try writes only in place of one exact text, so it is safe between
 * processes without a transaction; the first takes the text for what we would have written ourselves, which it nearly
 * always is, and the others for what is stored when that means the same.
 */
export function* compareAndSetSteps(statements: Statements, swap: Swap): SqlSteps<boolean> {
  const { namespace, key, expected } = swap;
  for (let text = toText(expected); ;) {
    const written = yield swapText(statements, swap, text);
    if (expected === null && swap.next === null) return written.length === 0;
    if (written.length > 0) return true;
    const [stored] = yield statements.read({ namespace, key });
    const found = stored === undefined ? null : parseJson(stored.value, { namespace, key });
    if (!isDeepStrictEqual(found, expected)) return false;
    text = stored === undefined ? null : String(stored.value);
  }
}

function swapText(statements: Statements, { namespace, key, next }: Swap, old: string | null): SqlCall {
  if (old === null && next === null) return statements.read({ namespace, key });
  if (old === null) return statements.insert({ namespace, key, value: next ?? "" });
  if (next === null) return statements.removeOld({ namespace, key, old });
  return statements.replace({ namespace, key, old, value: next });
}

function toText(value: Json | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
