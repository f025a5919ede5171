import type { Logger } from "@troupe/core";
import type {
  Client,
  StreamableHTTPClientTransport,
  Transport,
  VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import { boundedFetch } from "./bounded-fetch.ts";
import { capabilitiesOf, installHandlers } from "./host-handlers.ts";
import { loadLibrary, readStatus } from "./library.ts";
import type { Library } from "./library.ts";
import { brokenOffMark, isRefusal, isTooLarge } from "./mcp-errors.ts";
import type { McpHeaders, McpSettings } from "./mcp-options.ts";
import { ServerLog } from "./server-logs.ts";
import { passSlimMessages } from "./slim-message.ts";
import type { ServerProblem } from "./server-problem.ts";
import { StdioTransport } from "./stdio-transport.ts";

/**
 * An open connection to an MCP server: the library's client, its transport, the known reason why it may end, and the
 * time by `performance.now()` at which it was opened.
 */
export type OpenClient = {
  readonly client: Client;
  readonly transport: Transport;
  readonly problem: ServerProblem;
  readonly openedAt: number;
};

/**
 * The settings and headers of a connection to open, the signal that ends the attempt, and the callbacks for changes.
 */
export type OpenClientInit = {
  readonly settings: McpSettings;
  readonly headers: McpHeaders;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly problem: ServerProblem;
  readonly onToolsChanged: () => void;
  readonly onUnauthorized: (transport: StreamableHTTPClientTransport) => void;
};

/** Opens a connection to an MCP server, in a protocol revision that both sides support. */
export async function openClient(init: OpenClientInit): Promise<OpenClient> {
  const library = await loadLibrary();
  return init.settings.transport === "stdio" ? await openStdio(library, init) : await openHttp(library, init);
}

async function openStdio(library: Library, init: OpenClientInit): Promise<OpenClient> {
  const { protocol } = init.settings;
  const open = async (mode: VersionNegotiationMode) => {
    return await connect(library, { init, mode, transport: stdioTransport(library, init) });
  };
  if (protocol !== undefined) return await open(modeOf(protocol));
  try {
    return await open("legacy");
  } catch (error) {
    // This server refused `initialize`. It may support the revision without `initialize`.
    if (!isRefusal(error) || isTooLarge(error)) throw error;
    return await open(modeOf("2026-07-28"));
  }
}

async function openHttp(library: Library, init: OpenClientInit): Promise<OpenClient> {
  const { settings, headers, problem, onUnauthorized } = init;
  const { protocol = "auto", url = "", authProvider, maxMessageBytes } = settings;
  const options = {
    requestInit: { headers },
    fetch: boundedFetch(settings.fetch, { maxBytes: maxMessageBytes, problem }),
    ...(authProvider !== undefined && { authProvider }),
  };
  const transport = new library.StreamableHTTPClientTransport(new URL(url), options);
  try {
    const onAnswer = endRequests(transport);
    return await connect(library, { init, mode: modeOf(protocol), transport, onAnswer });
  } catch (error) {
    if (error instanceof library.UnauthorizedError) onUnauthorized(transport);
    const status = readStatus(error);
    if (protocol === "2026-07-28" || status === undefined || ![400, 404, 405].includes(status)) throw error;
    const older = new library.SSEClientTransport(new URL(url), options);
    // The error of the first attempt is thrown, because most servers that refuse both attempts do not support the
    // revision of 2024.
    return await connect(library, { init, mode: "legacy", transport: older }).catch(() =>
      Promise.reject(error as Error),
    );
  }
}

function modeOf(protocol: "auto" | "legacy" | "2026-07-28"): VersionNegotiationMode {
  return protocol === "2026-07-28" ? { pin: protocol } : protocol;
}

type Connecting = {
  readonly init: OpenClientInit;
  readonly mode: VersionNegotiationMode;
  readonly transport: Transport;
  readonly onAnswer?: (id: unknown) => void;
};

async function connect(library: Library, { init, mode, transport, onAnswer }: Connecting): Promise<OpenClient> {
  const { settings, logger, signal, problem, onToolsChanged } = init;
  const timeout = settings.connectTimeoutMs;
  const client = new library.Client(
    { name: "troupe", version: "0.1.0" },
    {
      capabilities: capabilitiesOf(settings),
      versionNegotiation: { mode, probe: { timeoutMs: timeout } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  );
  installHandlers(client, settings, logger);
  const log = new ServerLog(logger);
  client.setNotificationHandler("notifications/message", ({ params }) => log.write(textOf(params.data)));
  Object.assign(client, { onerror: ({ message }: Error) => log.write(message) });
  passSlimMessages(transport, onAnswer);
  try {
    await client.connect(transport, { timeout, signal });
  } catch (error) {
    await transport.close().catch(() => {});
    throw error;
  }
  return { client, transport, problem, openedAt: performance.now() };
}

function textOf(data: unknown): string {
  return typeof data === "string" ? data : (JSON.stringify(data) ?? "");
}

function stdioTransport(library: Library, { settings, logger, problem }: OpenClientInit): Transport {
  const { command = "", args = [], env = {}, cwd, maxMessageBytes } = settings;
  const log = new ServerLog(logger);
  return new StdioTransport({
    command,
    args,
    env,
    cwd,
    maxMessageBytes,
    problem,
    parse: library.deserializeMessage,
    onStderr: (text) => log.append(text),
  });
}

/**
 * Fails a request whose answer stream ends without an answer, because the library would wait forever. Also ends the
 * stream of a cancelled request, because the library would read as long as the server writes. Returns the callback for
 * answers.
 */
function endRequests(transport: StreamableHTTPClientTransport): (id: unknown) => void {
  const send = transport.send.bind(transport);
  const open = new Map<unknown, { stream: AbortController; stopListening: () => void }>();
  const forget = (id: unknown): void => {
    open.get(id)?.stopListening();
    open.delete(id);
  };
  transport.send = async (message, options) => {
    if (Array.isArray(message) || !("method" in message)) return await send(message, options);
    if (message.method === "notifications/cancelled") {
      const requestId = message.params?.["requestId"];
      await send(message, options).finally(() => open.get(requestId)?.stream.abort());
      return;
    }
    if (!("id" in message) || options?.onRequestStreamEnd !== undefined) return await send(message, options);
    const { id } = message;
    const stream = new AbortController();
    const { requestSignal = stream.signal } = options ?? {};
    const onAbort = (): void => forget(id);
    requestSignal.addEventListener("abort", onAbort);
    // The listener is removed by a function, because removing it by a signal would need a second `AbortController` for
    // each request, which costs more than the listener itself.
    open.set(id, { stream, stopListening: () => requestSignal.removeEventListener("abort", onAbort) });
    const onRequestStreamEnd = () => {
      // A request that is no longer open is already answered or cancelled: the library would log an error for an
      // unknown request.
      if (!open.has(id)) return;
      forget(id);
      const error = { code: -32_000, message: "The connection broke off.", data: brokenOffMark };
      transport.onmessage?.({ jsonrpc: "2.0", id, error });
    };
    await send(message, { ...options, requestSignal, onRequestStreamEnd }).catch((error: unknown) => {
      forget(id);
      throw error;
    });
  };
  return forget;
}
