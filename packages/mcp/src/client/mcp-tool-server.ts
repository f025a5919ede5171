import { TroupeError } from "@troupe/core";
import type { ContentPart, RunContext, ToolDef, ToolReturn, ToolSource } from "@troupe/core";
import { closeTogether, Network } from "@troupe/core/kit";
import { runOfContext } from "@troupe/core/transport";
import { callServerTool } from "./call-server-tool.ts";
import { Connection } from "./connection.ts";
import { ToolMaker } from "./make-tools.ts";
import type { CallTool } from "./make-tools.ts";
import { readMcpOptions } from "./mcp-options.ts";
import type { McpHeaders, McpSettings, McpToolServerOptions } from "./mcp-options.ts";
import { readResult } from "./read-result.ts";
import { getPrompt, listPrompts, listResources, listResourceTemplates, readResource } from "./resources-and-prompts.ts";
import type {
  AskOptions,
  McpPrompt,
  McpPromptMessages,
  McpResource,
  McpResourceTemplate,
} from "./resources-and-prompts.ts";
import { serverClosed } from "./mcp-errors.ts";

const defaultMaxConnections = 100;
const defaultIdleTimeoutMs = 300_000;

/**
 * A server of tools that speaks the Model Context Protocol: a program to start, or a URL. As one of an agent's tools,
 * it connects when a run first needs it and is closed with the agent.
 */
export class McpToolServer implements ToolSource {
  /** The server's name, which is the prefix of its tool names. */
  readonly name: string;
  readonly #settings: McpSettings;
  /**
   * Connections by a hash of their headers, the least recently used first. If the headers are fixed, there is only one
   * connection.
   */
  readonly #connections = new Map<string, Connection>();
  readonly #idleTimers = new WeakMap<Connection, NodeJS.Timeout>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  /** Throws `invalid_config` for a wrong option. Starts no process and opens no connection yet. */
  constructor(options: McpToolServerOptions) {
    this.#settings = readMcpOptions(options);
    this.name = this.#settings.name;
  }

  /**
   * Opens the connection now, even after `close`. Rejects with a `TroupeError` if the server cannot be reached. Without
   * `connect`, the first use opens the connection.
   */
  async connect(context?: RunContext): Promise<void> {
    this.#isClosed = false;
    await this.#use(context, async (connection) => await connection.open(context?.signal));
  }

  /**
   * Returns the tools of the server, connecting first if necessary. In a run, an unreachable server causes a warning of
   * the run, and the last known tools are returned. Rejects without a context, and once the run is aborted.
   */
  async getTools(context?: RunContext): Promise<ToolDef[]> {
    let known: readonly ToolDef[] = [];
    try {
      return await this.#use(context, async (connection) => {
        known = connection.knownTools;
        return [...(await connection.tools(context?.signal))];
      });
    } catch (error) {
      if (context === undefined || context.signal.aborted) throw error;
      this.#warn(context, error, known.length);
      return [...known];
    }
  }

  /** Lists the resources of the server. Returns an empty array if the server has none. */
  async resources(context?: RunContext): Promise<McpResource[]> {
    return await this.#use(context, async (connection) => await listResources(connection, this.#askOptions(context)));
  }

  /** Lists the templates for URIs of further resources. Returns an empty array if the server has none. */
  async resourceTemplates(context?: RunContext): Promise<McpResourceTemplate[]> {
    const options = this.#askOptions(context);
    return await this.#use(context, async (connection) => await listResourceTemplates(connection, options));
  }

  /**
   * Reads a resource as content parts for the input of a run: `agent.run([{ type: "text", text }, ...parts])`. Rejects
   * with `invalid_request` for an unknown resource.
   */
  async readResource(uri: string, context?: RunContext): Promise<ContentPart[]> {
    return await this.#use(
      context,
      async (connection) => await readResource(connection, uri, this.#askOptions(context)),
    );
  }

  /** Lists the prompts of the server. Returns an empty array if the server has none. */
  async prompts(context?: RunContext): Promise<McpPrompt[]> {
    return await this.#use(context, async (connection) => await listPrompts(connection, this.#askOptions(context)));
  }

  /** Returns the messages of a prompt, filled in with these arguments. */
  async getPrompt(name: string, args: Record<string, string> = {}, context?: RunContext): Promise<McpPromptMessages> {
    const options = this.#askOptions(context);
    return await this.#use(context, async (connection) => await getPrompt(connection, { name, args }, options));
  }

  /** Lists the server's tools again and returns them. Active runs keep the tools with which they began. */
  async refresh(context?: RunContext): Promise<ToolDef[]> {
    return await this.#use(context, async (connection) => {
      connection.forgetTools({ isWanted: true });
      return [...(await connection.tools(context?.signal))];
    });
  }

  /**
   * Completes the authorization of a user whom `authProvider` sent to the authorization server, after `connect`
   * rejected with `unauthorized`. Takes the parameters of the URL to which the user returned. Call `connect` again
   * afterwards.
   */
  async finishAuth(parameters: URLSearchParams, context?: RunContext): Promise<void> {
    await this.#use(context, async (connection) => await connection.finishAuth(parameters));
  }

  /** Ends all connections to the server, its sessions and its processes. Only `connect` opens the server again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [key, connection] of this.#connections) this.#remove(key, connection);
    await closeTogether(...Array.from(this.#closing, (closing) => () => closing));
  }

  /**
   * Calls `work` with the connection for the context's headers. During the call the connection does not count as
   * unused.
   */
  async #use<Result>(
    context: RunContext | undefined,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    this.#refuseClosed();
    const headers = await this.#readHeaders(context);
    this.#refuseClosed();
    const [key, connection] = this.#connectionOf(headers);
    connection.active++;
    try {
      return await work(connection);
    } finally {
      connection.active--;
      if (typeof this.#settings.headers === "function") this.#closeWhenIdle(key, connection);
    }
  }

  async #readHeaders(context: RunContext | undefined): Promise<McpHeaders> {
    const { headers = {} } = this.#settings;
    if (typeof headers !== "function") return headers;
    const network = new Network({ headers: () => headers(context) });
    const read = await network.readHeaders(context?.signal);
    return Object.fromEntries(
      Object.entries(read ?? {}).filter((entry): entry is [string, string] => entry[1] !== null),
    );
  }

  #connectionOf(headers: McpHeaders): [key: string, connection: Connection] {
    const key = typeof this.#settings.headers === "function" ? keyOf(headers) : "";
    const known = this.#connections.get(key);
    if (known === undefined) this.#makeRoom();
    const connection = known ?? this.#newConnection(headers);
    this.#connections.delete(key);
    this.#connections.set(key, connection);
    return [key, connection];
  }

  #newConnection(headers: McpHeaders): Connection {
    const maker = new ToolMaker(this.#settings, async (call) => await this.#callTool(call));
    return new Connection({ settings: this.#settings, headers, maker });
  }

  #makeRoom(): void {
    const { maxConnections = defaultMaxConnections, name } = this.#settings;
    if (this.#connections.size < maxConnections) return;
    const idle = [...this.#connections].find(([, { active }]) => active === 0);
    if (idle === undefined) {
      const message = `All ${maxConnections} connections to the MCP server ${JSON.stringify(name)} are in use. Raise maxConnections.`;
      throw new TroupeError("unavailable", message, { fields: { server: name } });
    }
    this.#remove(...idle);
  }

  #closeWhenIdle(key: string, connection: Connection): void {
    // A connection that is no longer in the map was ended while it was in use.
    if (this.#connections.get(key) !== connection) return;
    const { idleTimeoutMs = defaultIdleTimeoutMs } = this.#settings;
    clearTimeout(this.#idleTimers.get(connection));
    const timer = setTimeout(() => {
      if (connection.active === 0) this.#remove(key, connection);
    }, idleTimeoutMs).unref();
    this.#idleTimers.set(connection, timer);
  }

  #remove(key: string, connection: Connection): void {
    if (this.#connections.get(key) === connection) this.#connections.delete(key);
    clearTimeout(this.#idleTimers.get(connection));
    const closing = connection.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async #callTool(call: Parameters<CallTool>[0]): Promise<ToolReturn> {
    const { maxArtifactBytes } = this.#settings;
    return await this.#use(call.context, async (connection) => {
      const result = await callServerTool(connection, this.#settings, call);
      return await readResult(result, call.tool.name, { mask: connection.mask, maxArtifactBytes });
    });
  }

  #askOptions(context: RunContext | undefined): AskOptions {
    return { timeoutMs: this.#settings.timeoutMs, signal: context?.signal };
  }

  #warn(context: RunContext, error: unknown, knownCount: number): void {
    const lost = knownCount === 0 ? "The run has none of its tools." : "The run has the tools that were known before.";
    const message = `The MCP server ${JSON.stringify(this.name)} did not list its tools. ${lost}`;
    const fields = { server: this.name, error };
    const run = runOfContext(context);
    if (run === undefined) context.logger.warn(message, { ...fields, code: "tool_server_unavailable" });
    else run.warn("tool_server_unavailable", message, fields);
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw serverClosed(this.#settings);
  }
}

function keyOf(headers: McpHeaders): string {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  // `node:crypto` is not imported, because an import would delay the start of every program that uses the package.
  return process.getBuiltinModule("node:crypto").hash("sha256", JSON.stringify(sorted));
}
