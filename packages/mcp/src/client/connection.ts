import { createLogger, TroupeError } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { abortedError, createMasker, startDeadline, untilAborted, withTimeout } from "@troupe/core/adapter";
import type { Masker } from "@troupe/core/adapter";
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ToolMaker } from "./make-tools.ts";
import { diagnose, isRefusal, isUnauthorized, toMcpError } from "./mcp-errors.ts";
import type { McpHeaders, McpSettings } from "./mcp-options.ts";
import { openClient } from "./open-client.ts";
import type { OpenClient } from "./open-client.ts";
import { readSecrets } from "./secrets.ts";

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
/** Milliseconds for the answer that tells if a silent server still lives, and for ending a session. */
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
  readonly #settings: McpSettings;
  readonly #headers: McpHeaders;
  readonly #maker: ToolMaker;
  #opening: Promise<OpenClient> | undefined;
  #listing: Promise<ToolDef[]> | undefined;
  #tools: readonly ToolDef[] = [];
  #isSuspect = false;
  #failures = 0;
  #retryAt = 0;
  #unauthorized: StreamableHTTPClientTransport | undefined;
  readonly #closing = new Set<Promise<void>>();

  constructor({ settings, headers, maker }: { settings: McpSettings; headers: McpHeaders; maker: ToolMaker }) {
    this.#settings = settings;
    this.#headers = headers;
    this.#maker = maker;
    this.mask = createMasker(readSecrets(settings, headers));
  }

  /** The tools as they were listed last, also while the server is down. */
  get knownTools(): readonly ToolDef[] {
    return this.#tools;
  }

  /** Opens the connection, unless it is open. */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#opened(signal);
  }

  /** Returns the tools, listing them first if they are not known or have changed. */
  async tools(signal?: AbortSignal): Promise<readonly ToolDef[]> {
    await this.#opened(signal);
    const listing = (this.#listing ??= this.#list());
    return await untilAborted(() => listing, signal);
  }

  /** Makes the next call of `tools` list them again. */
  forgetTools(): void {
    this.#listing = undefined;
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
      if (!(await this.#mayRepeat(open, error, exchange))) throw this.#errorOf(error, exchange.what);
    }
    try {
      return await this.#send(await this.#opened(exchange.signal), exchange);
    } catch (error) {
      throw this.#errorOf(error, exchange.what);
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

  /** Ends the connection, its session and its process. A connection that is just opening is ended too. */
  async close(): Promise<void> {
    const opening = this.#opening;
    if (opening !== undefined) this.#drop(opening, true);
    await Promise.all(this.#closing);
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
    const waitMs = this.#retryAt - performance.now();
    if (waitMs > 0) throw this.#isDown(waitMs);
    this.#isSuspect = false;
    this.#listing = undefined;
    const opening = this.#openInTime();
    opening.then(
      ({ client }) => this.#onOpened(opening, client),
      (error: TroupeError) => this.#onFailed(opening, error),
    );
    return opening;
  }

  #onOpened(opening: Promise<OpenClient>, client: Client): void {
    this.#failures = 0;
    Object.assign(client, { onclose: () => this.#drop(opening) });
  }

  #onFailed(opening: Promise<OpenClient>, { code }: TroupeError): void {
    if (this.#opening === opening) this.#opening = undefined;
    if (code === "unauthorized") return;
    this.#failures++;
    this.#retryAt = performance.now() + Math.min(firstBackoffMs * 2 ** (this.#failures - 1), longestBackoffMs);
  }

  async #openInTime(): Promise<OpenClient> {
    const { name, connectTimeoutMs, logger = createLogger() } = this.#settings;
    const message = `The MCP server ${JSON.stringify(name)} did not connect within ${connectTimeoutMs} ms.`;
    const deadline = startDeadline(connectTimeoutMs, message);
    const opening = openClient({
      settings: this.#settings,
      headers: this.#headers,
      logger: logger.withSecrets(readSecrets(this.#settings, this.#headers)).child({ server: name }),
      signal: deadline.signal,
      onToolsChanged: () => this.forgetTools(),
      onUnauthorized: (transport) => (this.#unauthorized = transport),
    });
    try {
      return await untilAborted(() => opening, deadline.signal);
    } catch (error) {
      // One that opens after all is not wanted any more.
      opening.then(endClient, () => {});
      throw deadline.signal.aborted ? deadline.signal.reason : this.#errorOf(error, "connecting");
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

  async #list(): Promise<ToolDef[]> {
    const { connectTimeoutMs: timeoutMs } = this.#settings;
    const listing = this.exchange({
      what: "the list of its tools",
      timeoutMs,
      isRepeatable: true,
      send: async (client, options) => {
        // Asked of a server without tools, the library writes to the console.
        if (client.getServerCapabilities()?.tools === undefined) return { tools: [] };
        return await client.listTools(undefined, { ...options, cacheMode: "refresh" });
      },
    }).then(({ tools }) => {
      const made = this.#maker.make(tools);
      this.#tools = made;
      return made;
    });
    listing.catch(() => this.forgetTools());
    return await listing;
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

  #isDown(waitMs: number): TroupeError {
    const { name } = this.#settings;
    const message = `The MCP server ${JSON.stringify(name)} is down. It is tried again in ${Math.ceil(waitMs / 1000)} s.`;
    return new TroupeError("unavailable", message, { fields: { server: name, retryAfterMs: Math.ceil(waitMs) } });
  }

  #errorOf(error: unknown, what: string): TroupeError {
    return toMcpError(error, { server: this.#settings.name, what, mask: this.mask });
  }
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
