import type { SessionInfo } from "@troupe-internal/client";
import type { StoredValue } from "../ui/browser-storage.ts";
import { isObject } from "../ui/format.ts";
import { Store } from "../ui/store.ts";

/** The maximum number of sessions that can be pinned. The oldest pin gives way to a new one. */
const mostPins = 50;

/**
 * The sessions that are pinned in this browser, the newest pin first. They are stored with their titles, because the
 * list of sessions may not have read them yet.
 */
export class Pins extends Store<{ readonly pinned: readonly SessionInfo[] }> {
  readonly #stored: StoredValue;

  constructor(stored: StoredValue) {
    super({ pinned: stored.read(areSessions) ?? [] });
    this.#stored = stored;
  }

  /** Pins a session, or removes its pin. */
  toggle(session: SessionInfo): void {
    const others = this.state.pinned.filter(({ sessionId }) => sessionId !== session.sessionId);
    const isPinned = others.length < this.state.pinned.length;
    this.#change(isPinned ? others : [session, ...others].slice(0, mostPins));
  }

  /** Changes the title of a pinned session. */
  rename(sessionId: string, title: string): void {
    this.#change(this.state.pinned.map((each) => (each.sessionId === sessionId ? { ...each, title } : each)));
  }

  /** Removes the pin of a session that was deleted. */
  forget(sessionId: string): void {
    this.#change(this.state.pinned.filter((each) => each.sessionId !== sessionId));
  }

  #change(pinned: readonly SessionInfo[]): void {
    this.set({ pinned });
    this.#stored.write(pinned.length === 0 ? undefined : pinned);
  }
}

function areSessions(value: unknown): value is SessionInfo[] {
  return Array.isArray(value) && value.every(isSession);
}

function isSession(value: unknown): value is SessionInfo {
  if (!isObject(value)) return false;
  const { sessionId, title, createdAt, updatedAt, turns } = value;
  const numbers = [createdAt, updatedAt, turns].every((each) => typeof each === "number");
  return typeof sessionId === "string" && (title === undefined || typeof title === "string") && numbers;
}
