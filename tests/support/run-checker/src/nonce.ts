import { randomBytes } from "node:crypto";
import type { Operation } from "./operation-log.ts";
import { sessionPart } from "./stored-turns.ts";

/** Returns a random word that marks the texts of one session, so that they are recognised anywhere. */
export function createNonce(): string {
  return `nonce-${randomBytes(8).toString("hex")}`;
}

/** The sessions of each nonce in an operation log. Sessions that may share data have the same nonce. */
export class NonceOwners {
  readonly #owners = new Map<string, Set<string>>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      if (operation.type !== "invoke") continue;
      const owners = this.#owners.get(operation.nonce) ?? new Set();
      this.#owners.set(operation.nonce, owners.add(sessionPart(operation)));
    }
  }

  /** Returns the known nonces in a text, with their sessions. */
  in(text: string): { nonce: string; sessions: ReadonlySet<string> }[] {
    return [...new Set(text.match(/nonce-[0-9a-f]{16}/g))].flatMap((nonce) => {
      const sessions = this.#owners.get(nonce);
      return sessions === undefined ? [] : [{ nonce, sessions }];
    });
  }

  /** Returns the only session whose nonces a text contains. `undefined` for none or several. */
  sessionOf(text: string): string | undefined {
    const sessions = new Set(this.in(text).flatMap((found) => [...found.sessions]));
    return sessions.size === 1 ? [...sessions][0] : undefined;
  }
}
