import { createLogger, TroupeError } from "@troupe/core";
import type { Telemetry, ToolDef } from "@troupe/core";
import { abortedError, closeTogether, createMasker, startDeadline, untilAborted } from "@troupe/core/kit";
import type { Masker } from "@troupe/core/transport";
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ConnectPause } from "./connect-pause.ts";
import { endClient, measureSession } from "./end-client.ts";
import type { Exchange } from "./exchange.ts";
import { listTools } from "./list-tools.ts";
import type { ListedTool } from "./list-tools.ts";
import type { ToolMaker } from "./make-tools.ts";
import { diagnose, isRefusal, isUnauthorized, toMcpError, serverClosed } from "./mcp-errors.ts";
import type { McpHeaders, McpSettings } from "./mcp-options.ts";
import { openClient } from "./open-client.ts";
import type { OpenClient } from "./open-client.ts";
import { readSecrets } from "./secrets.ts";
import { ServerProblem } from "./server-problem.ts";
import { ToolList } from "./tool-list.ts";

/**
 * Milliseconds to wait for the reply that shows that a silent MCP server is alive, and for a connection attempt to end
 * by itself.
 */
const shortWaitMs = 3000;
const longestTimerMs = 2 ** 31 - 1;

/**
 * The connection to an MCP server with one set of headers. It opens on first use, and again after it was lost. After a
 * failed attempt, further attempts fail at once until a growing pause is over, except after refused credentials. The
 * tools are listed once. They are listed again after the server reports a change, and after the connection was opened
 * again.
 */
export class Connection {
  /** The number of uses of the connection in progress. */
  active = 0;
  readonly mask: Masker;
  /**
   * The telemetry of the last run that called a tool. The connection is shared by runs, and has no telemetry of its
   * own.
   */
  telemetry: Telemetry | undefined;
  /** Names of the server's tools that must be called in `session`. */
  readonly toolsInSession = new Set<string>();
  readonly #settings: McpSettings;
  readonly #headers: McpHeaders;
  readonly #maker: ToolMaker;
  readonly #tools: ToolList;
  #opening: Promise<OpenClient> | undefined;
  #isSuspect = false;
  readonly #pause: ConnectPause;
  #unauthorized: StreamableHTTPClientTransport | undefined;
  readonly #closing = new Set<Promise<void>>();
  #session: Connection | undefined;
  #isClosed = false;
  /** Aborts an attempt to open the connection that would delay its closing. */
  readonly #givenUp = new AbortController();

  constructor({ settings, headers, maker }: { settings: McpSettings; headers: McpHeaders; maker: ToolMaker }) {
    this.#settings = settings;
    this.#headers = headers;
    this.#maker = maker;
    this.#pause = new ConnectPause(settings.name);
    this.#tools = new ToolList(maker, async () => await this.#list());
    this.mask = createMasker(readSecrets(settings, headers));
  }

  /** The server's tools in the last listing, even while the server is unreachable. */
  get knownTools(): readonly ToolDef[] {
    return this.#tools.known;
  }

  /**
   * A second connection that starts with `initialize`, for tools that ask the host while they run. It opens on first
   * use.
   */
  get session(): Connection {
    this.#refuseClosed();
    const settings: McpSettings = { ...this.#settings, protocol: "legacy" };
    this.#session ??= new Connection({ settings, headers: this.#headers, maker: this.#maker });
    return this.#session;
  }

  /** Returns the server's tool with this name from the last listing, or undefined. */
  listedTool(name: string): ListedTool | undefined {
    return this.#tools.find(name);
  }

  /** Opens the connection if it is not open. */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#opened(signal);
  }

  /** Returns the server's tools. Lists them first if they are unknown or have changed. */
  async tools(signal?: AbortSignal): Promise<readonly ToolDef[]> {
    await this.#opened(signal);
    return await untilAborted(async () => await this.#tools.read(), signal);
  }

  /** Makes the next call of `tools` list the tools again: see `ToolList`. */
  forgetTools(how?: { isWanted: boolean }): void {
    this.#tools.forget(how);
  }

  /**
   * Sends a request and returns its result. If the session was lost, it is opened again and the request is repeated.
   * After any other loss of the connection, the request fails unless it may be repeated; the next request opens a new
   * connection.
   */
  async exchange<Result>(exchange: Exchange<Result>): Promise<Result> {
    const open = await this.#opened(exchange.signal);
    try {
      return await this.#send(open, exchange);
    } catch (error) {
      if (isUnauthorized(error)) this.#unauthorized = open.transport as StreamableHTTPClientTransport;
      if (!(await this.#mayRepeat(open, error, exchange))) throw this.#errorOf(error, exchange.what, open.problem);
    }
    const again = await this.#opened(exchange.signal);
    try {
      return await this.#send(again, exchange);
    } catch (error) {
      throw this.#errorOf(error, exchange.what, again.problem);
    }
  }

  /**
   * Completes the authorization of a user who was sent to the authorization server, with the parameters of the URL to
   * which the user returned.
   */
  async finishAuth(parameters: URLSearchParams): Promise<void> {
    const transport = this.#unauthorized;
    if (transport === undefined) {
      const message = `The MCP server ${JSON.stringify(this.#settings.name)} waits for no authorization. Call connect() first.`;
      throw new TroupeError("conflict", message);
    }
    try {
      await transport.finishAuth(parameters);
    } catch (error) {
      throw this.#errorOf(error, "the authorization");
    }
    this.#unauthorized = undefined;
    this.#pause.end();
  }

  /** Closes the connection for good, with its session and its process. Also ends an attempt to open it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opening = this.#opening;
    if (opening !== undefined) this.#drop(opening, true);
    const giveUp = setTimeout(() => this.#givenUp.abort(serverClosed(this.#settings)), shortWaitMs);
    try {
      await closeTogether(...Array.from(this.#closing, (closing) => () => closing), () => this.#session?.close());
    } finally {
      clearTimeout(giveUp);
    }
  }

  async #opened(signal?: AbortSignal): Promise<OpenClient> {
    const known = this.#opening;
    if (known !== undefined && this.#isSuspect) {
      this.#isSuspect = false;
      if (!(await this.#answers(await known))) this.#drop(known);
    }
    const opening = (this.#opening ??= this.#open());
    return await untilAborted(() => opening, signal);
  }

  #open(): Promise<OpenClient> {
    // The server may have been closed in the meantime. An exchange in progress would then open a connection that is
    // never closed.
    this.#refuseClosed();
    this.#pause.check();
    this.#isSuspect = false;
    this.forgetTools();
    const startedAt = performance.now();
    const opening = this.#openInTime();
    opening.then(
      ({ client }) => this.#onOpened(opening, client),
      (error: TroupeError) => this.#onFailed(opening, error, performance.now() - startedAt),
    );
    return opening;
  }

  #onOpened(opening: Promise<OpenClient>, client: Client): void {
    this.#pause.end();
    Object.assign(client, { onclose: () => this.#drop(opening) });
  }

  #onFailed(opening: Promise<OpenClient>, error: TroupeError, tookMs: number): void {
    if (this.#opening === opening) this.#opening = undefined;
    if (error.code !== "unauthorized") this.#pause.begin(error, tookMs);
  }

  async #openInTime(): Promise<OpenClient> {
    const { name, connectTimeoutMs, logger = createLogger() } = this.#settings;
    const message = `The MCP server ${JSON.stringify(name)} did not connect within ${connectTimeoutMs} ms.`;
    const deadline = startDeadline(connectTimeoutMs, message, this.#givenUp.signal);
    const problem = new ServerProblem();
    const opening = openClient({
      settings: this.#settings,
      headers: this.#headers,
      logger: logger.withSecrets(readSecrets(this.#settings, this.#headers)).child({ server: name }),
      signal: deadline.signal,
      problem,
      onToolsChanged: () => this.forgetTools(),
      onUnauthorized: (transport) => (this.#unauthorized = transport),
    });
    try {
      return await untilAborted(() => opening, deadline.signal);
    } catch (error) {
      // A connection that is still being opened is no longer wanted, so it is ended.
      opening.then(endClient, () => {});
      throw deadline.signal.aborted && problem.text === undefined
        ? deadline.signal.reason
        : this.#errorOf(error, "connecting", problem);
    } finally {
      deadline.end();
    }
  }

  async #send<Result>({ client }: OpenClient, { what, timeoutMs, signal, send }: Exchange<Result>): Promise<Result> {
    const name = JSON.stringify(this.#settings.name);
    const deadline = startDeadline(
      timeoutMs,
      `The MCP server ${name} did not answer ${what} within ${timeoutMs} ms.`,
      signal,
    );
    try {
      return await send(client, { signal: deadline.signal, timeout: longestTimerMs });
    } catch (error) {
      // The library wraps the abort reason, so the original reason is thrown.
      if (signal?.aborted === true) throw abortedError(signal.reason);
      throw deadline.signal.aborted ? deadline.signal.reason : error;
    } finally {
      deadline.end();
    }
  }

  async #mayRepeat(open: OpenClient, error: unknown, { signal, isRepeatable }: Exchange<unknown>): Promise<boolean> {
    const diagnosis = signal?.aborted === true ? "answered" : diagnose(error);
    if (diagnosis === "silent") this.#isSuspect = true;
    if (diagnosis === "answered" || diagnosis === "silent") return false;
    if (diagnosis === "no-session" && (await this.#answers(open))) return false;
    await this.#dropOpen(open);
    return diagnosis === "no-session" || isRepeatable === true;
  }

  async #dropOpen(open: OpenClient): Promise<void> {
    const opening = this.#opening;
    if (opening !== undefined && (await opening) === open) this.#drop(opening);
  }

  /** Returns true if the MCP server replies at all, even with an error. */
  async #answers({ client }: OpenClient): Promise<boolean> {
    const isModern = client.getProtocolEra() === "modern";
    const options = { timeout: shortWaitMs };
    try {
      await (isModern ? client.discover(options) : client.ping(options));
      return true;
    } catch (error) {
      return isRefusal(error);
    }
  }

  async #list(): Promise<ListedTool[]> {
    return await this.exchange({
      what: "the list of its tools",
      timeoutMs: this.#settings.connectTimeoutMs,
      isRepeatable: true,
      send: async (client, options) => await listTools(client, this.#settings, options),
    });
  }

  /** Drops an open or opening connection, if it is still the current connection, and ends it in the background. */
  #drop(opening: Promise<OpenClient>, isOrderly = false): void {
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    const closing = opening
      .then((open) => {
        measureSession(open, { telemetry: this.telemetry, isLost: !isOrderly });
        return endClient(open, isOrderly);
      })
      .catch(() => {})
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw serverClosed(this.#settings);
  }

  #errorOf(error: unknown, what: string, { text: problem }: { text?: string | undefined } = {}): TroupeError {
    return toMcpError(error, { server: this.#settings.name, what, mask: this.mask, problem });
  }
}
