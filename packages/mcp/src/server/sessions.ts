import { closeTogether, createId } from "@troupe/core/kit";
import { CallerHoldings, CallerShares, countedCaller, ownerKey } from "@troupe/core/transport";
import type { CountedCaller, OwnerKey } from "@troupe/core/transport";
import type * as Library from "@modelcontextprotocol/server";
import { isInitialize } from "./answer-request.ts";
import type { Caller } from "./call-tool.ts";
import type { MadeServer } from "./extension.ts";
import type { MakeServer } from "./make-server.ts";

/** The limits of MCP sessions over HTTP, and a function that gets the duration of each session when it ends. */
export type SessionLimits = {
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly onEnded?: ((durationMs: number) => void) | undefined;
};

/** A request of a client that speaks a revision with sessions. */
export type SessionRequest = {
  readonly request: Request;
  readonly options: Library.HandleRequestOptions;
  readonly caller: Caller;
};

type Session = {
  readonly owner: OwnerKey;
  /** The caller who opened the MCP session, counted against the limits. */
  readonly opener: CountedCaller;
  readonly made: MadeServer;
  readonly transport: Library.WebStandardStreamableHTTPServerTransport;
  /** The number of unanswered requests of the session, including an open notification stream. */
  open: number;
  usedAt: number;
  readonly openedAt: number;
};

const longestSweepMs = 60_000;

/**
 * The HTTP sessions of clients that begin with `initialize`. Each has a server of its own, which can ask its client,
 * notify it of changes, and apply its log level. A session belongs to the user who opened it.
 */
export class Sessions {
  readonly #library: typeof Library;
  readonly #makeServer: MakeServer;
  readonly #limits: SessionLimits;
  readonly #shares: CallerShares;
  readonly #held = new CallerHoldings();
  /** The open MCP sessions by id, the least recently used first. */
  readonly #sessions = new Map<string, Session>();
  #sweeping: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(library: typeof Library, makeServer: MakeServer, limits: SessionLimits) {
    this.#library = library;
    this.#makeServer = makeServer;
    this.#limits = limits;
    this.#shares = new CallerShares({ total: limits.maxSessions });
  }

  /** The library's servers of all open MCP sessions. */
  get servers(): MadeServer[] {
    return [...this.#sessions.values()].map(({ made }) => made);
  }

  /** Answers a request that opens or names an MCP session. Returns undefined for any other request. */
  async answer(asked: SessionRequest): Promise<Response | undefined> {
    const { caller, options } = asked;
    if (caller.session !== undefined) {
      const session = this.#sessions.get(caller.session);
      // A session of another user is treated as an unknown session.
      if (session === undefined || session.owner !== ownerKey(caller.opts)) return notFound();
      return await this.#serve(caller.session, session, asked);
    }
    return isInitialize(options.parsedBody) ? await this.#open(asked) : undefined;
  }

  /** Ends all MCP sessions, and opens no further sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await closeTogether(...Array.from(this.#sessions.keys(), (id) => () => this.#end(id)));
  }

  async #serve(id: string, session: Session, { request, options, caller }: SessionRequest): Promise<Response> {
    session.open++;
    this.#touch(id, session);
    const release = (): void => {
      session.open--;
      if (this.#sessions.get(id) === session) this.#touch(id, session);
    };
    void caller.answered?.then(release);
    return await session.transport.handleRequest(request, options);
  }

  #touch(id: string, session: Session): void {
    session.usedAt = performance.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
  }

  async #open({ request, options, caller }: SessionRequest): Promise<Response> {
    const id = createId();
    const { userId, tenantId } = caller.opts;
    const user = { ...(userId !== undefined && { userId }), ...(tenantId !== undefined && { tenantId }) };
    // The server of a session gets no API keys: keys belong to one request, and each later request sends its own keys.
    const made = await this.#makeServer({ caller: { opts: user, secrets: [] }, era: "legacy", isKept: true });
    const transport = new this.#library.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#forget(id),
    });
    try {
      await made.product.connect(transport);
    } catch (error) {
      await made.product.close();
      throw error;
    }
    const opener = countedCaller(caller.opts, caller.address);
    this.#makeRoom(opener);
    this.#sessions.set(id, {
      owner: ownerKey(caller.opts),
      opener,
      made,
      transport,
      open: 0,
      usedAt: performance.now(),
      openedAt: performance.now(),
    });
    this.#held.set(id, opener);
    this.#sweeping ??= setInterval(() => this.#sweep(), Math.min(this.#limits.sessionIdleMs, longestSweepMs)).unref();
    try {
      return await transport.handleRequest(request, options);
    } finally {
      // Ends the session if the request failed to open it, or if the server was closed in the meantime.
      if (transport.sessionId === undefined || this.#isClosed) await this.#end(id);
    }
  }

  /**
   * Ends MCP sessions until a caller has room for another one. If the caller's own share is full, its own sessions are
   * ended; otherwise the sessions of the caller with the most sessions among callers of the same kind (with or without
   * a user). Sessions without open requests are ended first, and the least recently used among them.
   */
  #makeRoom(opener: CountedCaller): void {
    for (;;) {
      const full = this.#shares.fullOf(opener, this.#held.of(opener));
      if (full === undefined) return;
      const isOwn = full.whose === "user" || full.whose === "address";
      const { key } = isOwn ? opener : this.#largest(opener);
      const entries = [...this.#sessions].filter(([, session]) => session.opener.key === key);
      const [id] = entries.find(([, { open }]) => open === 0) ?? entries[0] ?? [];
      if (id === undefined) return;
      void this.#end(id);
    }
  }

  /** Returns the caller with the most sessions among the callers of the same kind. */
  #largest({ kind }: CountedCaller): CountedCaller {
    const openers = [...this.#sessions.values()].flatMap(({ opener }) => (opener.kind === kind ? [opener] : []));
    return openers.reduce((most, next) => (this.#held.of(next).own > this.#held.of(most).own ? next : most));
  }

  #sweep(): void {
    const oldest = performance.now() - this.#limits.sessionIdleMs;
    for (const [id, { open, usedAt }] of this.#sessions) if (open === 0 && usedAt <= oldest) void this.#end(id);
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#forget(id);
    await session?.made.product.close();
  }

  #forget(id: string): void {
    const session = this.#sessions.get(id);
    // The end of a session that its client failed to open (it has no id) is not reported.
    if (session?.transport.sessionId !== undefined) this.#limits.onEnded?.(performance.now() - session.openedAt);
    this.#sessions.delete(id);
    this.#held.delete(id);
    if (this.#sessions.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }
}

/** Makes the answer for an unknown session. MCP prescribes that the client then opens a new session. */
function notFound(): Response {
  const error = { code: -32_001, message: "Session not found. Send initialize again to open another." };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
}
