import { createLogger, TroupeError } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { abortedError, closeTogether, createMasker, startDeadline, untilAborted, withTimeout } from "@troupe/core/kit";
import type { Masker } from "@troupe/core/transport";
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { listTools } from "./list-tools.ts";
import type { ListedTool } from "./list-tools.ts";
import type { ToolMaker } from "./make-tools.ts";
import { diagnose, isRefusal, isUnauthorized, toMcpError } from "./mcp-errors.ts";
import type { McpHeaders, McpSettings } from "./mcp-options.ts";
import { openClient } from "./open-client.ts";
import type { OpenClient } from "./open-client.ts";
import { readSecrets } from "./secrets.ts";
import { ServerProblem } from "./server-problem.ts";
import { ToolList } from "./tool-list.ts";

/** One exchange with a server: what it is for, its time limit, and whether a repetition of it does no harm. */
export type Exchange<Result> = {
  /** Names the exchange in errors: `a call of the tool echo`. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly isRepeatable?: boolean;
  readonly send: (client: Client, options: { signal: AbortSignal; timeout: number }) => Promise<Result>;
};

const firstBackoffMs = 500;
const longestBackoffMs = 30_000;
/** An attempt that took long is followed by a time of rest that is this many times as long, up to a minute. */
const backoffPerAttempt = 4;
const longestSlowBackoffMs = 60_000;
/** Milliseconds for the answer that tells if a silent server still lives, for ending a session, and for an opening to end by itself. */
const shortWaitMs = 3000;
const longestTimerMs = 2 ** 31 - 1;

/**
 * The connection to a server with one set of headers. It opens when first used and again after it was lost; after a failure
 * to open, the next attempts fail at once until a growing time is over. Its tools are listed once, and again when the server
 * says that they changed or the connection is a new one.
 */
export class Connection {
  /** The number of exchanges and listings that are under way. */
  active = 0;
  readonly mask: Masker;
  /** Names of tools that are called in the session. */
  readonly toolsInSession = new Set<string>();
  readonly #settings: McpSettings;
  readonly #headers: McpHeaders;
  readonly #maker: ToolMaker;
  readonly #tools: ToolList;
  #opening: Promise<OpenClient> | undefined;
  #isSuspect = false;
  #failures = 0;
  #failure: TroupeError | undefined;
  #retryAt = 0;
  #unauthorized: StreamableHTTPClientTransport | undefined;
  readonly #closing = new Set<Promise<void>>();
  #session: Connection | undefined;
  #isClosed = false;
  /** Aborts for an opening that holds up the closing. */
  readonly #givenUp = new AbortController();

  constructor({ settings, headers, maker }: { settings: McpSettings; headers: McpHeaders; maker: ToolMaker }) {
    this.#settings = settings;
    this.#headers = headers;
    this.#maker = maker;
    this.#tools = new ToolList(maker, async () => await this.#list());
    this.mask = createMasker(readSecrets(settings, headers));
  }

  /** The tools as they were listed last, also while the server is down. */
  get knownTools(): readonly ToolDef[] {
    return this.#tools.known;
  }

  /** A second connection that begins with `initialize`, for tools that ask the host while they run. It opens when used. */
  get session(): Connection {
    this.#refuseClosed();
    const settings: McpSettings = { ...this.#settings, protocol: "legacy" };
    this.#session ??= new Connection({ settings, headers: this.#headers, maker: this.#maker });
    return this.#session;
  }

  /** The tool of this name of the server, as it was listed last. */
  listedTool(name: string): ListedTool | undefined {
    return this.#tools.find(name);
  }

  /** Opens the connection, unless it is open. */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#opened(signal);
  }

  /** Returns the tools, listing them first if they are not known or have changed. */
  async tools(signal?: AbortSignal): Promise<readonly ToolDef[]> {
    await this.#opened(signal);
    return await untilAborted(async () => await this.#tools.read(), signal);
  }

  /** Makes the next call of `tools` list them again: see `ToolList`. */
  forgetTools(how?: { isWanted: boolean }): void {
    this.#tools.forget(how);
  }

  /**
   * Sends a request and returns its result. A lost session is opened again and the request repeated; any other lost
   * connection fails the request unless it may be repeated, and the next one opens a new connection.
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

  /** Completes the authorization of a user who was sent away to grant it, with the parameters that came back. */
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
    this.#failures = 0;
    this.#retryAt = 0;
  }

  /** Ends the connection for good, its session and its process. A connection that is just opening is ended too. */
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
    // A use that was under way would open a connection that nothing ends.
    this.#refuseClosed();
    const waitMs = this.#retryAt - performance.now();
    if (waitMs > 0) throw this.#isDown(waitMs);
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
    this.#failures = 0;
    Object.assign(client, { onclose: () => this.#drop(opening) });
  }

  #onFailed(opening: Promise<OpenClient>, error: TroupeError, tookMs: number): void {
    if (this.#opening === opening) this.#opening = undefined;
    if (error.code === "unauthorized") return;
    this.#failure = error;
    this.#failures++;
    const waitMs = Math.min(firstBackoffMs * 2 ** (this.#failures - 1), longestBackoffMs);
    // Runs are not made to wait for most of the time by a server that fails slowly.
    this.#retryAt = performance.now() + Math.max(waitMs, Math.min(tookMs * backoffPerAttempt, longestSlowBackoffMs));
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
      // One that opens after all is not wanted any more.
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
      // The library wraps the reason of an abort.
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

  /** Tells if the server answers at all. */
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

  /** Forgets a connection and ends it in the background. */
  #drop(opening: Promise<OpenClient>, isOrderly = false): void {
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    const closing = opening
      .then((open) => endClient(open, isOrderly))
      .catch(() => {})
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw serverClosed(this.#settings);
  }

  #isDown(waitMs: number): TroupeError {
    const { name } = this.#settings;
    const message = `The MCP server ${JSON.stringify(name)} is down. It is tried again in ${Math.ceil(waitMs / 1000)} s.`;
    const fields = { server: name, retryAfterMs: Math.ceil(waitMs) };
    return new TroupeError("unavailable", message, { fields, cause: this.#failure });
  }

  #errorOf(error: unknown, what: string, { text: problem }: { text?: string | undefined } = {}): TroupeError {
    return toMcpError(error, { server: this.#settings.name, what, mask: this.mask, problem });
  }
}

/** Makes the error for the use of a server that was closed. */
export function serverClosed({ name }: McpSettings): TroupeError {
  const message = `The MCP server ${JSON.stringify(name)} is closed. Call connect() to open it again.`;
  return new TroupeError("unavailable", message, { fields: { server: name } });
}

/** Ends the session, if the server has one, and the connection. */
async function endClient({ client, transport }: OpenClient, isOrderly = false): Promise<void> {
  if (isOrderly && "terminateSession" in transport) {
    const ending = (transport as StreamableHTTPClientTransport).terminateSession().catch(() => {});
    await withTimeout(ending, { timeoutMs: shortWaitMs, onTimeout: () => {} });
  }
  await client.close().catch(() => {});
  await transport.close().catch(() => {});
}
