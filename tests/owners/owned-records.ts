import assert from "node:assert/strict";
import { Memory, SessionStore, TroupeError, UserMemory } from "@troupe/core";
import type { SessionOwner, StorageDriver } from "@troupe/core";

/** The operations of an owner; one of them is done more often. */
export const operations = [
  "say",
  "say",
  "remember",
  "rememberById",
  "note",
  "deleteSession",
  "clearMemory",
  "clearById",
  "clearFacts",
  "deleteUser",
] as const;

/** The ids of sessions that owners use. */
export const sessionIds = ["s", "a", "-", "...", "a:b", "000000000001"] as const;

/** One operation of one owner. */
type Step = { operation: (typeof operations)[number]; sessionId: string };

/** The expected records of one owner, by session. */
type Owned = { turns: Map<string, string[]>; memory: Map<string, string[]>; facts: string[] };

/** Sessions, memory and facts in one storage, and beside them what each owner must find there. */
export class OwnedRecords {
  readonly #sessions: SessionStore;
  readonly #memory: Memory;
  readonly #userMemory: UserMemory;
  readonly #expected = new Map<string, Owned>();
  /** The messages that the program has added to sessions without an owner, by session. */
  readonly #seeds = new Map<string, string[]>();
  #written = 0;

  constructor(storage: StorageDriver) {
    this.#sessions = new SessionStore(storage);
    this.#memory = new Memory({ storage });
    this.#userMemory = new UserMemory({ storage });
  }

  async take(who: SessionOwner, { operation: name, sessionId: id }: Step): Promise<void> {
    const mark = `mark ${++this.#written}`;
    await this[name](who, id, mark);
  }

  /** Reads all that an owner has, in every way, and compares it with what the owner has written. */
  async check(who: SessionOwner): Promise<void> {
    const { turns, memory, facts } = this.#of(who);
    if (who.userId === undefined) await assert.rejects(this.#sessions.listSessions(who), { code: "invalid_request" });
    else {
      const listed = await this.#sessions.listSessions(who, { limit: 100 });
      const own = [...turns.keys()].toReversed();
      assert.deepEqual(
        listed.sessions.map((each) => each.sessionId),
        own,
      );
    }
    for (const id of sessionIds) {
      assert.deepEqual(await this.#turnsOf(who, id), turns.get(id));
      const messages = await this.#memory.getMessages(id, stated(who));
      assert.deepEqual(
        messages.map(({ content }) => content),
        memory.get(id) ?? [],
      );
    }
    if (who.userId === undefined) return;
    const found = await this.#userMemory.getFacts(who.userId, who);
    assert.deepEqual(found.map(({ fact }) => fact).toSorted(), facts.toSorted());
  }

  /** Reads what the program finds by the session ids alone, and compares it with what all owners have written. */
  async checkById(): Promise<void> {
    for (const id of sessionIds) {
      const [only, ...others] = this.#withMemory(id);
      if (others.length > 0) await assert.rejects(this.#memory.getMessages(id), { code: "conflict" });
      else {
        const messages = await this.#memory.getMessages(id);
        const expected = only?.memory.get(id) ?? this.#seeds.get(id) ?? [];
        assert.deepEqual(
          messages.map(({ content }) => content),
          expected,
        );
      }
    }
  }

  async say(who: SessionOwner, id: string, mark: string): Promise<void> {
    const session = await this.#sessions.open(id, { owner: who });
    const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
    const messages = [{ role: "assistant" as const, content: "Yes." }];
    await session.appendTurn({ runId: mark, runnable: "a", input: mark, messages, status: "completed", usage });
    session.release();
    const { turns } = this.#of(who);
    const earlier = turns.get(id) ?? [];
    // The session with the newest turn comes last.
    turns.delete(id);
    turns.set(id, [...earlier, mark]);
  }

  async remember(who: SessionOwner, id: string, mark: string): Promise<void> {
    await this.#memory.addMessages(id, [{ role: "user", content: mark }], stated(who));
    const { memory } = this.#of(who);
    memory.set(id, [...(memory.get(id) ?? []), mark]);
  }

  /** The program's own call: it goes to the one owner of the id, or waits for a run of the program. */
  async rememberById(_: SessionOwner, id: string, mark: string): Promise<void> {
    const [only, ...others] = this.#withMemory(id);
    const added = this.#memory.addMessages(id, [{ role: "user", content: mark }]);
    if (others.length > 0) return await assert.rejects(added, { code: "conflict" });
    await added;
    const target = only?.memory ?? this.#seeds;
    target.set(id, [...(target.get(id) ?? []), mark]);
  }

  async clearById(_: SessionOwner, id: string): Promise<void> {
    const owned = this.#withMemory(id);
    const cleared = owned.length + (this.#seeds.delete(id) ? 1 : 0);
    assert.equal(await this.#memory.clear(id), cleared);
    for (const { memory } of owned) memory.delete(id);
  }

  async note(who: SessionOwner, _: string, mark: string): Promise<void> {
    if (who.userId === undefined) return;
    await this.#userMemory.addFacts(who.userId, [mark], "manual", who);
    this.#of(who).facts.push(mark);
  }

  async deleteSession(who: SessionOwner, id: string): Promise<void> {
    const { turns, memory } = this.#of(who);
    const isKnown = turns.has(id);
    const outcome = await this.#sessions.deleteSession(id, { owner: who }).then(() => true, isNoSession);
    assert.equal(outcome, isKnown);
    turns.delete(id);
    if (isKnown) memory.delete(id);
  }

  async clearMemory(who: SessionOwner, id: string): Promise<void> {
    const wasThere = this.#of(who).memory.delete(id);
    assert.equal(await this.#memory.clear(id, stated(who)), wasThere ? 1 : 0);
  }

  async clearFacts(who: SessionOwner): Promise<void> {
    if (who.userId === undefined) return;
    await this.#userMemory.clear(who.userId, who);
    this.#of(who).facts = [];
  }

  async deleteUser(who: SessionOwner): Promise<void> {
    if (who.userId === undefined) return;
    await this.#sessions.deleteUser(who.userId, who);
    this.#expected.delete(nameOf(who));
  }

  async #turnsOf(who: SessionOwner, id: string): Promise<string[] | undefined> {
    try {
      const { turns } = await this.#sessions.readTurns(id, { owner: who, limit: 100 });
      return turns.map(({ runId }) => runId);
    } catch (error) {
      isNoSession(error);
      return undefined;
    }
  }

  #withMemory(id: string): Owned[] {
    return [...this.#expected.values()].filter(({ memory }) => memory.has(id));
  }

  #of(who: SessionOwner): Owned {
    const owned = this.#expected.get(nameOf(who)) ?? { turns: new Map(), memory: new Map(), facts: [] };
    this.#expected.set(nameOf(who), owned);
    return owned;
  }
}

/** Compares owners without keys. */
function nameOf({ tenantId: tenant, userId: user, verified = true }: SessionOwner): string {
  return JSON.stringify([tenant ?? null, user ?? null, user === undefined || verified]);
}

/** States the owner also where it has neither user nor tenant, so that the call is not the program's. */
function stated(who: SessionOwner): SessionOwner {
  return { ...who, userId: who.userId };
}

function isNoSession(error: unknown): false {
  if (TroupeError.is(error) && error.code === "not_found") return false;
  throw error;
}
