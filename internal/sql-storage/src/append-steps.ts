import { TroupeError } from "@troupe/core";
import type { AppendOptions } from "@troupe/core";
import { checkKey, decodeSequence, encodeSequence, holdsToken, parseJson } from "@troupe/core/adapter";
import type { SqlRow, SqlSteps } from "./sql-steps.ts";
import type { Statements } from "./statements.ts";

/** What is appended, checked and as text. */
export type AppendRequest = {
  readonly namespace: string;
  readonly keyPrefix: string;
  readonly text: string;
  readonly ifHeld?: AppendOptions["ifHeld"];
};

/** Where it was stored. */
export type Appended = { key: string; seq: number };

/** Appends, on a database whose writing transactions exclude each other. */
export function* appendSteps(statements: Statements, request: AppendRequest): SqlSteps<Appended> {
  const { namespace, text, ifHeld } = request;
  if (ifHeld !== undefined) {
    const [lease] = yield statements.read({ namespace: "locks", key: ifHeld.key });
    checkHeld(lease, ifHeld);
  }
  const appended = nextOf(request, yield statements.lastNumbered(numberedKeys(request)));
  yield statements.put({ namespace, key: appended.key, value: text });
  return appended;
}

/** What `lastNumbered` is asked with to find the highest number under a prefix. */
export function numberedKeys({ namespace, keyPrefix }: AppendRequest) {
  const prefixLength = Array.from(keyPrefix).length;
  return {
    namespace,
    from: `${keyPrefix}0`,
    // A colon comes next after the digits.
    to: `${keyPrefix}:`,
    length: prefixLength + encodeSequence(0).length,
    digitsAt: prefixLength + 1,
  };
}

/** The number and key behind what `lastNumbered` found. */
export function nextOf({ namespace, keyPrefix }: AppendRequest, found: readonly SqlRow[]): Appended {
  const last = decodeSequence(found[0]?.key?.slice(keyPrefix.length) ?? "") ?? 0;
  const key = keyPrefix + encodeSequence(last + 1);
  checkKey(namespace, key);
  return { key, seq: last + 1 };
}

/** Refuses to write for whoever no longer holds the lease whose row this is. */
export function checkHeld(row: SqlRow | undefined, { key, token }: NonNullable<AppendOptions["ifHeld"]>): void {
  const lease = row === undefined ? null : parseJson(row.value, { namespace: "locks", key });
  if (holdsToken(lease, token)) return;
  throw new TroupeError("conflict", "The lease is no longer held: another writer took it over.", { fields: { key } });
}
