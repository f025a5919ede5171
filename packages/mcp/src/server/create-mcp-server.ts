import type { ServerResponse } from "node:http";
import { TroupeError } from "@troupe/core";
import { toTroupeError } from "@troupe/core/adapter";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { answerRequest, sendRefusal } from "./answer-request.ts";
import type { McpRequest } from "./answer-request.ts";
import type { Caller } from "./call-tool.ts";
import { makeServer } from "./make-server.ts";
import { readMcpServerOptions } from "./mcp-server-options.ts";
import type { McpServerOptions, McpServerSettings } from "./mcp-server-options.ts";
import { createSourceGuard, readCaller } from "./read-caller.ts";
import { RunningCalls } from "./running-calls.ts";
import { openStdio } from "./serve-stdio.ts";
import type { StdioConnection } from "./serve-stdio.ts";

/** An MCP server, made by `createMcpServer`: a handler for HTTP, and a connection over stdio. */
export type McpServer = {
  /** Answers a request over HTTP: `app.use("/mcp", server.handler)`, or the listener of a `node:http` server. */
  readonly handler: (request: McpRequest, response: ServerResponse) => void;
  /**
   * Serves the program that has started this process, over the standard streams. Resolves when the client has left. Until then
   * whatever else is written to the standard output goes to the standard error stream.
   */
  serveStdio(): Promise<void>;
  /** Cancels the calls that run and refuses further ones. */
  close(): Promise<void>;
};

/**
 * Makes an MCP server whose tools are agents, teams and workflows: `ask_<name>` and `run_<name>`. A wrong option throws
 * `invalid_config`.
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  const settings = readMcpServerOptions(options);
  const calls = new RunningCalls();
  const http = new HttpSide(settings, calls);
  let stdio: StdioConnection | undefined;
  return {
    handler: (request, response) => void http.serve(request, response),
    async serveStdio() {
      if (stdio !== undefined) throw new TroupeError("conflict", "serveStdio was called already. Call it once.");
      stdio = openStdio(async () => ({ library: await loadLibrary(), settings, calls }));
      await stdio.ended;
    },
    async close() {
      calls.endAll();
      await Promise.all([http.close(), stdio?.close()]);
    },
  };
}

async function loadLibrary() {
  return await import("@modelcontextprotocol/server");
}

/** The HTTP side of a server. The library is loaded by the first request. */
class HttpSide {
  readonly #settings: McpServerSettings;
  readonly #calls: RunningCalls;
  readonly #guard: (request: McpRequest) => void;
  #handler: Promise<McpHttpHandler> | undefined;

  constructor(settings: McpServerSettings, calls: RunningCalls) {
    this.#settings = settings;
    this.#calls = calls;
    this.#guard = createSourceGuard(settings);
  }

  async serve(request: McpRequest, response: ServerResponse): Promise<void> {
    const { maxBodyBytes, genericApiKeyHeader } = this.#settings;
    const left = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) left.abort();
    });
    try {
      this.#guard(request);
      const caller = readCaller(request, genericApiKeyHeader, left.signal);
      const handler = await (this.#handler ??= this.#load());
      // What the library hands on unread with each request, in place of its own authentication.
      const authInfo = { token: "", clientId: "", scopes: [], extra: { caller } };
      await answerRequest({ request, response, maxBodyBytes, signal: left.signal }, (asked, read) => {
        return handler.fetch(asked, { authInfo, ...read });
      });
    } catch (error) {
      this.#fail(error, response, left.signal);
    }
  }

  async close(): Promise<void> {
    const handler = await this.#handler?.catch(() => undefined);
    await handler?.close();
  }

  async #load(): Promise<McpHttpHandler> {
    const library = await loadLibrary();
    const parts = { library, settings: this.#settings, calls: this.#calls };
    const { maxBodyBytes: maxRequestBodySize, logger } = this.#settings;
    return library.createMcpHandler(
      ({ authInfo }) => makeServer(parts, authInfo?.extra?.["caller"] as Caller),
      // Its messages may quote a request.
      { maxRequestBodySize, onerror: ({ name }) => logger.debug("A request was refused.", { error: name }) },
    );
  }

  #fail(error: unknown, response: ServerResponse, left: AbortSignal): void {
    const { code } = toTroupeError(error, left);
    if (code === "internal") this.#settings.logger.error("A request failed by a fault of the service.", { error });
    sendRefusal(error, response);
  }
}
