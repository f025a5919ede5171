import { TroupeError } from "@troupe/core";
import { closeTogether, toTroupeError } from "@troupe/core/kit";
import type { Exchange, Service } from "@troupe/core/transport";
import type * as Library from "@modelcontextprotocol/server";
import { answerRequest, defaultMessageBytes, sendRefusal } from "./answer-request.ts";
import { isOwnFault } from "./call-tool.ts";
import type { NotifyTargets } from "./extension.ts";
import { createServerMaker } from "./make-server.ts";
import type { ServerParts } from "./tasks/server-parts.ts";
import type { ProtocolSettings } from "./mcp-server-options.ts";
import { createSourceGuard, readCaller } from "./read-caller.ts";
import { Sessions } from "./sessions.ts";
import type { SessionRequest } from "./sessions.ts";

/**
 * The objects that answer HTTP requests: the library's handler for single requests, and the sessions of an extended
 * server.
 */
type Answerers = { library: typeof Library; handler: Library.McpHttpHandler; sessions: Sessions | undefined };

/** Milliseconds after which an unused HTTP session is ended. */
const sessionIdleMs = 1_800_000;

/** The HTTP side of the MCP server. The first request imports the library. */
export class HttpSide {
  readonly #service: Service;
  readonly #settings: ProtocolSettings;
  readonly #loadParts: () => Promise<ServerParts>;
  readonly #guard: ReturnType<typeof createSourceGuard>;
  readonly #maxBodyBytes: number;
  #answerers: Promise<Answerers> | undefined;
  #loaded: Answerers | undefined;
  #isClosed = false;

  constructor(service: Service, settings: ProtocolSettings, loadParts: () => Promise<ServerParts>) {
    this.#service = service;
    this.#settings = settings;
    this.#loadParts = loadParts;
    this.#guard = createSourceGuard(service.settings);
    this.#maxBodyBytes = service.settings.maxBodyBytes ?? defaultMessageBytes;
  }

  /** The receivers, over HTTP, of notifications about changed tools, prompts and resources. */
  get targets(): NotifyTargets {
    const { handler, sessions } = this.#loaded ?? {};
    return { kept: sessions?.servers ?? [], subscriptions: handler?.notify };
  }

  /** Answers an HTTP request. Rejects with the error to answer with: see `fail`. */
  async serve(exchange: Exchange): Promise<void> {
    const { signal, answered } = watchClient(exchange);
    try {
      this.#refuseClosed();
      this.#guard(exchange);
      const caller = { ...readCaller(exchange, this.#service), signal, answered };
      const { callers } = await this.#loadParts();
      // `authInfo` is a new object for each request. The library passes it on without reading it, and the caller is
      // looked up by it.
      const authInfo = { token: "", clientId: "", scopes: [], ...authOf(exchange) };
      callers.set(authInfo, caller);
      await answerRequest(exchange, { maxBodyBytes: this.#maxBodyBytes, signal }, async (request, body) => {
        const reply = await this.#answer({ request, options: { authInfo, ...body }, caller });
        this.#service.closeIfDraining(exchange);
        return reply;
      });
    } catch (error) {
      throw toTroupeError(error, signal);
    }
  }

  /** Answers with an error as JSON-RPC does, and logs a fault of the service. Never throws. */
  fail(thrown: unknown, exchange: Exchange): void {
    const error = toTroupeError(thrown);
    const { requestId, logger } = exchange;
    try {
      if (isOwnFault(error.code)) exchange.logFailure(error);
      sendRefusal(error, exchange);
    } catch (failure) {
      // The host may have replaced a method of the response with a method that throws.
      logger.error("A failure could not be sent.", { requestId, error: failure });
      exchange.destroy();
    }
  }

  /** Ends the sessions and subscriptions over HTTP, and refuses further requests. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const answerers = await this.#answerers?.catch(() => undefined);
    await closeTogether(
      () => answerers?.handler.close(),
      () => answerers?.sessions?.close(),
    );
  }

  async #answer(asked: SessionRequest): Promise<Response> {
    const { library, handler, sessions } = await (this.#answerers ??= this.#load());
    const { request, options } = asked;
    if (sessions !== undefined && (await library.isLegacyRequest(request, options.parsedBody))) {
      const reply = await sessions.answer(asked);
      if (reply !== undefined) return reply;
    }
    return await handler.fetch(request, options);
  }

  async #load(): Promise<Answerers> {
    const parts = await this.#loadParts();
    // The server may have been closed during the import. It could not close objects that are made after that.
    this.#refuseClosed();
    const { library, callers } = parts;
    const { extend, maxSessions } = this.#settings;
    const { logger } = this.#service;
    const makeServer = createServerMaker(parts);
    const handler = library.createMcpHandler(
      async ({ authInfo = {}, era }) => {
        const caller = callers.get(authInfo) ?? { opts: {}, secrets: [] };
        const { product } = await makeServer({ caller, era, isKept: false });
        return product;
      },
      {
        maxRequestBodySize: this.#maxBodyBytes,
        // Only the name of the error is logged, because its message may quote a request.
        onerror: ({ name }) => logger.debug("A request was refused.", { error: name }),
      },
    );
    const keepsSessions = extend !== undefined && maxSessions > 0;
    const { telemetry } = this.#service.settings;
    const onEnded =
      telemetry && ((ms: number) => telemetry.measure("mcp.session", { side: "server", ms, transport: "tcp" }));
    const limits = { maxSessions, sessionIdleMs, onEnded };
    const sessions = keepsSessions ? new Sessions(library, makeServer, limits) : undefined;
    return (this.#loaded = { library, handler, sessions });
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new TroupeError("unavailable", "The server is shutting down.");
  }
}

/** Returns a promise for the end of an exchange, and a signal that aborts if its client left before. */
function watchClient(exchange: Exchange): { signal: AbortSignal; answered: Promise<void> } {
  const left = new AbortController();
  const answered = Promise.withResolvers<void>();
  const end = (): void => {
    answered.resolve();
    if (!exchange.isFinished) left.abort();
  };
  if (exchange.isDestroyed) end();
  else exchange.onClose(end);
  return { signal: left.signal, answered: answered.promise };
}

/** Returns the token that the host has verified, in the place where handlers of MCP's own libraries expect it. */
function authOf({ native }: Exchange): Library.AuthInfo | undefined {
  return (native as { auth?: Library.AuthInfo }).auth;
}
