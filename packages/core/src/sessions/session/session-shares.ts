import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { checkOwner } from "../storage/session-owner.ts";
import { ownerKey } from "../storage/owner-key.ts";
import type { SessionOwner } from "../storage/session-owner.ts";
import { recordVersion } from "../storage/stored-record.ts";
import { applyWrites } from "./change-session.ts";
import { findLiveSession, requireSession, sessionNotFound } from "./create-session.ts";
import { settled } from "./deferred-session.ts";
import type { ListenedSessions } from "./delete-session.ts";
import { checkPageLimit, checkTurnCursor } from "./page.ts";
import type { PageOptions } from "./page.ts";
import { readTurns } from "./read-turns.ts";
import type { TurnCollector, TurnPage } from "./read-turn-page.ts";
import { scan } from "./scan.ts";
import { checkStoredSessionId } from "./session-id.ts";
import { namespaces, sessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { findShare, removeShare, shareIdOf, sharesPrefix, shareWrites, toShareRecord } from "./share-record.ts";
import type { FoundShare, ShareInfo, ShareRecord } from "./share-record.ts";

/** The maximum number of shares of a user, and of a session without a user. */
const mostShares = 100;
/** The bytes of a secret, and of an id: the beginning of the hash of the secret. */
const [secretBytes, idBytes] = [32, 16];
const secretForm = /^[\w-]{43}$/;
const idForm = /^[\da-f]{32}$/;

/** A share to make: the time until which it can be read, and true to share the arguments and results of tools too. */
export type NewShare = { readonly expiresAt: number; readonly hasTools: boolean };

/** A share of a session, with the turns of one page. `next` is the cursor of the next page. */
export type SharedPage = TurnPage & { readonly share: ShareInfo };

/**
 * Shares of sessions: links with a secret, under which a session can be read without its owner until the share ends, is
 * revoked, or is deleted with its session. A share has the turns that its session had when it was shared.
 */
export class SessionShares {
  readonly #sessions: ListenedSessions;

  constructor(sessions: ListenedSessions) {
    this.#sessions = sessions;
  }

  /**
   * Shares a session up to its last turn. Returns the share and its secret, which cannot be read again. Throws
   * `not_found` for a session that the owner does not have, and `conflict` if the owner has too many shares.
   */
  async create(
    sessionId: string,
    owner: SessionOwner,
    { expiresAt, hasTools }: NewShare,
  ): Promise<{ share: ShareInfo; secret: string }> {
    const { driver } = this.#sessions;
    const ref = sessionRef(checkOwner(owner), checkStoredSessionId(sessionId));
    await settled(this.#sessions, ref);
    const session = await requireSession(driver, ref);
    if (session.turns === 0) throw new TroupeError("invalid_request", "The session has no turns to share.");
    const shares = await this.#read(owner, owner.userId === undefined ? sessionId : undefined);
    if (shares.length >= mostShares) throw tooMany();
    const secret = randomBytes(secretBytes).toString("base64url");
    const record = newRecord(session, { sessionId, hash: hashOf(secret), expiresAt, hasTools });
    const shareId = idOf(record.hash);
    const writes = shareWrites(shareId, record);
    await applyWrites(driver, writes);
    // A deletion that did not find the share has marked the session before.
    if (isShared(record, await findLiveSession(driver, ref))) return { share: toInfo({ shareId, record }), secret };
    await applyWrites(
      driver,
      writes.map((write) => ({ ...write, value: null })),
    );
    throw sessionNotFound(sessionId);
  }

  /**
   * Returns the shares of an owner that have not ended, newest first: all of them, or those of a session. Throws
   * `invalid_request` for an owner without a user if no session is named.
   */
  async list(owner: SessionOwner, sessionId?: string): Promise<ShareInfo[]> {
    if (owner.userId === undefined && sessionId === undefined) {
      throw new TroupeError("invalid_request", "sessionId is missing: without a user, shares are listed by session.");
    }
    const shares = await this.#read(owner, sessionId);
    return shares.map(toInfo).toSorted((one, other) => other.createdAt - one.createdAt);
  }

  /**
   * Ends a share of the owner. An owner without a user also names the session. Throws `not_found` for any other share.
   */
  async revoke(shareId: string, owner: SessionOwner, sessionId?: string): Promise<void> {
    const found = idForm.test(shareId) ? await findShare(this.#sessions.driver, shareId) : undefined;
    if (found === undefined || !isOf(found.record, owner, sessionId)) throw shareNotFound();
    await removeShare(this.#sessions.driver, found.key);
  }

  /**
   * Returns a page of the turns that a link shares, oldest first. Throws `not_found` for an unknown secret, and for a
   * share that has ended.
   */
  async readTurns(
    secret: string,
    { after, limit, take }: PageOptions<number> & { readonly take: TurnCollector },
  ): Promise<SharedPage> {
    const range = { after: checkTurnCursor(after), limit: checkPageLimit(limit) };
    const found = await this.#find(secret);
    const { driver } = this.#sessions;
    const ref = sessionRef(found.record.owner, found.record.sessionId);
    const session = await findLiveSession(driver, ref);
    if (session === null || !isShared(found.record, session)) throw shareNotFound();
    const { lastTurn } = found.record;
    const shared = { ...session, turns: Math.min(session.turns, lastTurn) };
    const { turns, next } = await readTurns(
      driver,
      { ref, session: shared },
      { ...range, take: async (turn) => turn.seq <= lastTurn && (await take(turn)) },
    );
    const own = turns.filter(({ seq }) => seq <= lastTurn);
    const hasMore = next !== undefined && next < lastTurn && own.length === turns.length;
    return { share: toInfo(found), turns: own, ...(hasMore && { next }) };
  }

  async #find(secret: string): Promise<FoundShare> {
    if (!secretForm.test(secret)) throw shareNotFound();
    const given = hashOf(secret);
    const found = await findShare(this.#sessions.driver, idOf(given));
    if (found === undefined || !isSameHash(found.record.hash, given) || hasEnded(found.record)) throw shareNotFound();
    return found;
  }

  /** Reads the shares of an owner, and removes those that have ended. */
  async #read(owner: SessionOwner, sessionId: string | undefined): Promise<FoundShare[]> {
    const { driver } = this.#sessions;
    const shares: FoundShare[] = [];
    const prefix = sharesPrefix(checkOwner(owner), sessionId);
    for await (const page of scan(driver, { namespace: namespaces.sessionShares, prefix })) {
      for (const { key, value } of page) {
        const record = toShareRecord(value, key);
        if (hasEnded(record)) await removeShare(driver, key);
        else shares.push({ shareId: shareIdOf(key), key, record });
      }
    }
    return shares;
  }
}

function newRecord(
  { owner, createdAt, title, turns }: SessionRecord,
  fields: Pick<ShareRecord, "sessionId" | "hash" | "expiresAt" | "hasTools">,
): ShareRecord {
  const named = title === undefined ? {} : { title };
  const at = { sessionAt: createdAt, createdAt: Date.now(), lastTurn: turns };
  return { v: recordVersion, owner, ...fields, ...named, ...at };
}

/** Returns true if a share is of this session, and not of an earlier session of the same id. */
function isShared({ sessionAt }: ShareRecord, session: SessionRecord | null): boolean {
  return session?.createdAt === sessionAt;
}

function isOf(record: ShareRecord, owner: SessionOwner, sessionId: string | undefined): boolean {
  if (ownerKey(record.owner) !== ownerKey(checkOwner(owner))) return false;
  return record.sessionId === sessionId || (sessionId === undefined && owner.userId !== undefined);
}

function hasEnded({ expiresAt }: ShareRecord): boolean {
  return expiresAt <= Date.now();
}

function toInfo({ shareId, record }: Pick<FoundShare, "shareId" | "record">): ShareInfo {
  const { sessionId, title, createdAt, expiresAt, lastTurn, hasTools } = record;
  const named = title === undefined ? {} : { title };
  return { shareId, sessionId, ...named, createdAt, expiresAt, lastTurn, hasTools };
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

function idOf(hashed: string): string {
  return hashed.slice(0, 2 * idBytes);
}

function isSameHash(stored: string, given: string): boolean {
  const [one, other] = [Buffer.from(stored), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function shareNotFound(): TroupeError {
  return new TroupeError("not_found", "This link is unknown, was revoked, or has ended.");
}

function tooMany(): TroupeError {
  return new TroupeError("conflict", `There are ${mostShares} shares already. Revoke one of them first.`);
}
