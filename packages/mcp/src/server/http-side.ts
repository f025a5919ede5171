import type { ServerResponse } from "node:http";
import { TroupeError } from "@troupe/core";
import { closeTogether, toTroupeError } from "@troupe/core/kit";
import type * as Library from "@modelcontextprotocol/server";
import { answerRequest, sendRefusal } from "./answer-request.ts";
import type { McpRequest } from "./answer-request.ts";
import type { NotifyTargets } from "./extension.ts";
import { createServerMaker } from "./make-server.ts";
import type { ServerParts } from "./tasks/server-parts.ts";
import type { McpServerSettings } from "./mcp-server-options.ts";
import { createSourceGuard, readCaller } from "./read-caller.ts";
import { Sessions } from "./sessions.ts";
import type { SessionRequest } from "./sessions.ts";

/** The two that answer requests: the library's handler of single requests, and the sessions of an extended server. */
type Answerers = { library: typeof Library; handler: Library.McpHttpHandler; sessions: Sessions | undefined };

/** The HTTP side of a server. The library is loaded by the first request. */
export class HttpSide {
  readonly #settings: McpServerSettings;
  readonly #loadParts: () => Promise<ServerParts>;
  readonly #guard: (request: McpRequest) => void;
  #answerers: Promise<Answerers> | undefined;
  #loaded: Answerers | undefined;
  #isClosed = false;

  constructor(settings: McpServerSettings, loadParts: () => Promise<ServerParts>) {
    this.#settings = settings;
    this.#loadParts = loadParts;
    this.#guard = createSourceGuard(settings);
  }

  /** The clients that messages of changes go to. */
  get targets(): NotifyTargets {
    const { handler, sessions } = this.#loaded ?? {};
    return { kept: sessions?.servers ?? [], subscriptions: handler?.notify };
  }

  async serve(request: McpRequest, response: ServerResponse): Promise<void> {
    const { maxBodyBytes } = this.#settings;
    const left = new AbortController();
    const answered = Promise.withResolvers<void>();
    response.once("close", () => {
      answered.resolve();
      if (!response.writableFinished) left.abort();
    });
    try {
      this.#refuseClosed();
      this.#guard(request);
      const read = readCaller(request, this.#settings);
      const caller = { ...read, signal: left.signal, answered: answered.promise };
      const { callers } = await this.#loadParts();
      // An object of its own for each request: the library hands it on unread, and the caller is found by it.
      const authInfo = { token: "", clientId: "", scopes: [], ...request.auth };
      callers.set(authInfo, caller);
      await answerRequest({ request, response, maxBodyBytes, signal: left.signal }, async (asked, body) => {
        return await this.#answer({ request: asked, options: { authInfo, ...body }, caller });
      });
    } catch (error) {
      this.#fail(error, response, left.signal);
    }
  }

  /** Ends sessions and subscriptions, and refuses further requests. */
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
    // It may have been closed meanwhile, and would not close what is made now.
    this.#refuseClosed();
    const { library, callers } = parts;
    const { maxBodyBytes: maxRequestBodySize, logger, extend, maxSessions, sessionIdleMs } = this.#settings;
    const makeServer = createServerMaker(parts);
    const handler = library.createMcpHandler(
      async ({ authInfo = {}, era }) => {
        const caller = callers.get(authInfo) ?? { opts: {}, secrets: [] };
        const { product } = await makeServer({ caller, era, isKept: false });
        return product;
      },
      // Its messages may quote a request.
      { maxRequestBodySize, onerror: ({ name }) => logger.debug("A request was refused.", { error: name }) },
    );
    const keepsSessions = extend !== undefined && maxSessions > 0;
    const sessions = keepsSessions ? new Sessions(library, makeServer, { maxSessions, sessionIdleMs }) : undefined;
    return (this.#loaded = { library, handler, sessions });
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new TroupeError("unavailable", "The server is shutting down.");
  }

  #fail(error: unknown, response: ServerResponse, left: AbortSignal): void {
    const { code } = toTroupeError(error, left);
    if (code === "internal") this.#settings.logger.error("A request failed by a fault of the service.", { error });
    sendRefusal(error, response);
  }
}
