import { TroupeError } from "@troupe/core";
import type { SessionOwner, StoredTurn } from "@troupe/core";
import { checkSessionId, isFromOtherSite, readRequestHost } from "@troupe/core/transport";
import type { Exchange, Route, Service } from "@troupe/core/transport";
import type { SharedChat, SharedTurn } from "./shared-chat.ts";
import { toSharedTurn } from "./to-shared-turn.ts";

/** The page's option `shares`. */
export type ShareOptions = {
  /** The greatest number of milliseconds for which a link can be read. @default 30 days */
  readonly maxLifetimeMs?: number | undefined;
  /**
   * The service whose sessions are shared. `createPage` needs it: `createAgentRouter(…).service`.
   * @default the service that the page belongs to
   */
  readonly service?: Pick<Service, "sessions" | "teams"> | undefined;
};

/** The greatest number of milliseconds for which a link can be read, unless the host gives another. */
export const defaultLifetimeMs = 30 * 24 * 60 * 60_000;

/** The number of milliseconds for which a link can be read, unless its owner gives another. */
const usualLifetimeMs = 7 * 24 * 60 * 60_000;
const leastLifetimeMs = 60_000;
const maxBodyBytes = 4096;
/** Largest number of turns, and of characters of all turns, in one answer. The first turn may be larger. */
const [mostTurns, mostCharacters] = [50, 4_000_000];

/** The headers of everything that a link shows: search engines must not list it, and nothing stores it. */
export const sharedHeaders = { "X-Robots-Tag": "noindex, nofollow, noarchive", "Referrer-Policy": "no-referrer" };

type Shares = { readonly maxLifetimeMs: number; readonly service: Pick<Service, "sessions" | "teams"> };
type Answer = (exchange: Exchange, shares: Shares) => Promise<void>;

/**
 * Makes the routes by which owners share their sessions, list their shares and revoke them, and the route that shows
 * the turns of a share to anyone with its link.
 */
export function shareRoutes(below: string, { maxLifetimeMs = defaultLifetimeMs, service }: ShareOptions): Route[] {
  if (service === undefined) throw noService();
  const shares = { maxLifetimeMs, service };
  const own = (answer: Answer) => async (exchange: Exchange) => {
    exchange.setHeader("X-Content-Type-Options", "nosniff").setHeader("Cross-Origin-Resource-Policy", "same-origin");
    refuseOtherSites(exchange);
    await answer(exchange, shares);
  };
  return [
    { path: `${below}/shares`, get: own(sendShares), post: own(share) },
    { path: `${below}/shares/:shareId`, delete: own(revoke) },
    { path: `${below}/s/:secret/turns`, isPublic: true, get: async (exchange) => await sendShared(exchange, shares) },
  ];
}

function noService(): TroupeError {
  return new TroupeError(
    "invalid_config",
    "The page has no sessions to share. Give shares: { service: router.service }.",
  );
}

async function sendShares(exchange: Exchange, { service }: Shares): Promise<void> {
  const { sessionId } = readQuery(exchange, ["sessionId"]);
  exchange.sendJson(200, { shares: await service.sessions.listShares(ownerOf(exchange), checkOptional(sessionId)) });
}

async function share(exchange: Exchange, { service, maxLifetimeMs }: Shares): Promise<void> {
  readQuery(exchange, []);
  const body = (await exchange.readJsonObject({ maxBytes: maxBodyBytes })) ?? {};
  const { sessionId, lifetimeMs = Math.min(usualLifetimeMs, maxLifetimeMs), tools = false, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    const name = JSON.stringify(unknown.slice(0, 64));
    throw invalid(`Unknown field ${name} in the body. Expected sessionId, lifetimeMs or tools.`);
  }
  if (typeof tools !== "boolean") throw invalid("tools must be true or false.");
  const expiresAt = Date.now() + checkLifetime(lifetimeMs, maxLifetimeMs);
  const id = checkSessionId(sessionId);
  exchange.sendJson(201, await service.sessions.share(id, ownerOf(exchange), { expiresAt, hasTools: tools }));
}

async function revoke(exchange: Exchange, { service }: Shares): Promise<void> {
  const { sessionId } = readQuery(exchange, ["sessionId"]);
  const { shareId = "" } = exchange.params;
  await service.sessions.revokeShare(shareId, ownerOf(exchange), checkOptional(sessionId));
  exchange.sendEmpty();
}

/** Sends a page of the turns that a link shares. */
async function sendShared(exchange: Exchange, { service }: Shares): Promise<void> {
  for (const [name, value] of Object.entries(sharedHeaders)) exchange.setHeader(name, value);
  exchange.setHeader("X-Content-Type-Options", "nosniff").setHeader("Cross-Origin-Resource-Policy", "same-origin");
  const { after = "0" } = readQuery(exchange, ["after"]);
  const room = roomFor(mostCharacters);
  const page = { after: /^\d{1,12}$/.test(after) ? Number(after) : Number.NaN, limit: mostTurns, take: room };
  const { share: shared, turns, next } = await service.sessions.readShared(exchange.params["secret"] ?? "", page);
  const { title, createdAt, expiresAt, hasTools } = shared;
  const toTurn = (turn: StoredTurn): SharedTurn => {
    return toSharedTurn(turn, { hasTools, kind: service.teams.has(turn.runnable) ? "team" : "agent" });
  };
  const body: SharedChat = {
    ...(title !== undefined && { title }),
    createdAt,
    expiresAt,
    hasTools,
    turns: turns.map(toTurn),
    ...(next !== undefined && { next }),
  };
  exchange.sendJson(200, body);
}

/** Returns a function that takes turns as long as there is room for them. */
function roomFor(characters: number): (turn: StoredTurn) => boolean {
  let left = characters;
  return (turn) => {
    left -= JSON.stringify(turn).length;
    return left > 0;
  };
}

function checkLifetime(lifetimeMs: unknown, maxLifetimeMs: number): number {
  const least = Math.min(leastLifetimeMs, maxLifetimeMs);
  if (Number.isSafeInteger(lifetimeMs) && Number(lifetimeMs) >= least && Number(lifetimeMs) <= maxLifetimeMs) {
    return Number(lifetimeMs);
  }
  throw invalid(`lifetimeMs must be an integer from ${least} to ${maxLifetimeMs}.`);
}

function checkOptional(sessionId: string | undefined): string | undefined {
  return sessionId === undefined ? undefined : checkSessionId(sessionId);
}

/** Returns the owner of the sessions that a request may share: its user, or no user, as for the routes of sessions. */
function ownerOf({ principal }: Exchange): SessionOwner {
  return principal ?? {};
}

function refuseOtherSites({ url, headers }: Exchange): void {
  if (!isFromOtherSite(headers, readRequestHost(url, headers.host))) return;
  throw new TroupeError("forbidden", "A page of another site sent this request.");
}

function readQuery<Name extends string>({ search }: Exchange, names: readonly Name[]): { [Key in Name]?: string } {
  const read: { [Key in Name]?: string } = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const known = names.find((each) => each === name);
    if (known === undefined || read[known] !== undefined) {
      const text = JSON.stringify(name.slice(0, 64));
      throw invalid(`Unknown or repeated query parameter ${text}. Expected ${names.join(", ") || "none"}.`);
    }
    read[known] = value;
  }
  return read;
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
