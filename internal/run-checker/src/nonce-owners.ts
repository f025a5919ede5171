import type { Operation } from "./operation-log.ts";
import { noncesIn } from "./nonce.ts";
import { sessionPart } from "./stored-turns.ts";

/** Knows which sessions a nonce belongs to: sessions that are meant to share data are given the same one. */
export class NonceOwners {
  readonly #owners = new Map<string, Set<string>>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      if (operation.type !== "invoke") continue;
      const owners = this.#owners.get(operation.nonce) ?? new Set();
      this.#owners.set(operation.nonce, owners.add(sessionPart(operation)));
    }
  }

  /** The nonces in a text that the log knows, with their sessions. */
  in(text: string): { nonce: string; sessions: ReadonlySet<string> }[] {
    return noncesIn(text).flatMap((nonce) => {
      const sessions = this.#owners.get(nonce);
      return sessions === undefined ? [] : [{ nonce, sessions }];
    });
  }

  /** The one session whose nonces a text holds; `undefined` when there is none, or more. */
  sessionOf(text: string): string | undefined {
    const sessions = new Set(this.in(text).flatMap((found) => [...found.sessions]));
    return sessions.size === 1 ? [...sessions][0] : undefined;
  }
}
