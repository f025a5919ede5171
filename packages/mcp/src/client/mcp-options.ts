import { TroupeError } from "@troupe/core";
import type { Logger, RunContext } from "@troupe/core";
import {
  anyBoolean,
  anyString,
  arrayOf,
  functionLike,
  integer,
  loggerOption,
  nested,
  networkOptions,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/kit";
import type { OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";
import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { McpHandlers } from "./host-handlers.ts";

/** Headers of the requests to an MCP server, by name. */
export type McpHeaders = Readonly<Record<string, string>>;

/** Function that sends the HTTP requests to an MCP server, such as the global `fetch`. */
export type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Options of an `McpToolServer`: the server's name, the way to reach it, and limits. */
export type McpToolServerOptions = McpHandlers & {
  /** Stands before the names of the tools: `files` makes `files__read_file`. Unique among the servers of an agent. */
  name: string;
  /** `"stdio"` starts the server as a process; `"http"` connects to its URL. */
  transport: "stdio" | "http";
  /** The program to start, without a shell (stdio only, required). */
  command?: string | undefined;
  /** The arguments of the program (stdio only). */
  args?: readonly string[] | undefined;
  /** The environment of the program, beside `PATH` and `HOME`; it gets no other variable (stdio only). */
  env?: Readonly<Record<string, string>> | undefined;
  /** The folder in which the program starts (stdio only). @default the folder of this process */
  cwd?: string | undefined;
  /** The server's URL, without user and password (http only, required). */
  url?: string | undefined;
  /**
   * Headers of each request (http only). A function is called with the context of the run that uses the server, and
   * without one outside of runs; each set of headers has connections and tools of its own.
   */
  headers?: McpHeaders | ((context?: RunContext) => McpHeaders | Promise<McpHeaders>) | undefined;
  /** Provides the tokens of OAuth (http only). */
  authProvider?: AuthProvider | OAuthClientProvider | undefined;
  /** Sends the requests in place of the global `fetch` (http only). */
  fetch?: McpFetch | undefined;
  /** The tools that an agent gets, by the server's own names: those of `allow`, if given, without those of `deny`. */
  tools?: { allow?: readonly string[] | undefined; deny?: readonly string[] | undefined } | undefined;
  /**
   * The revision of the protocol: `"legacy"` begins with `initialize`, `"2026-07-28"` never does, `"auto"` asks the server.
   * @default "auto" for http; "legacy" for stdio, and 2026-07-28 for a server that refuses that
   */
  protocol?: "auto" | "legacy" | "2026-07-28" | undefined;
  /** Milliseconds for connecting, and for listing the tools. @default 15_000 */
  connectTimeoutMs?: number | undefined;
  /** Milliseconds for one call of a tool, and for reading a resource or prompt. @default 60_000 */
  timeoutMs?: number | undefined;
  /** The size of the content that the model gets from one call, in bytes: see `ToolDef`. @default 262_144 */
  maxOutputBytes?: number | undefined;
  /**
   * The size of the artifacts of one call, in bytes of JSON. One that goes beyond is replaced by an artifact `left_out`, with
   * its type and size. @default 1_048_576
   */
  maxArtifactBytes?: number | undefined;
  /**
   * The largest message that is taken from the server, and the size of all its tools together, in bytes. A larger message ends the
   * connection. @default 10_485_760
   */
  maxMessageBytes?: number | undefined;
  /** The most tools that the server may list. A longer list is refused, not cut. @default 500 */
  maxTools?: number | undefined;
  /** The size of each schema of a tool, in bytes of JSON. A list with a larger one is refused. @default 65_536 */
  maxSchemaBytes?: number | undefined;
  /** The size of the description of a tool, in bytes. A list with a longer one is refused. @default 4096 */
  maxDescriptionBytes?: number | undefined;
  /**
   * Lets the server say which of its tools are safe to call again: `readOnlyHint` makes a tool `pure`, `idempotentHint`
   * makes it `idempotent`. Set it only for a server whose word you trust. @default false: each tool is `once`
   */
  trustAnnotations?: boolean | undefined;
  /** The number of connections that are open at once where `headers` is a function. @default 100 */
  maxConnections?: number | undefined;
  /** Milliseconds after which an unused connection is closed where `headers` is a function. @default 300_000 */
  idleTimeoutMs?: number | undefined;
  /** Gets what the server writes to its standard error stream and logs, at level `debug`, up to 64 KB a minute. @default none */
  logger?: Logger | undefined;
};

const maxServerNameLength = 64;

const filterOption = nested({
  allow: optional(arrayOf("names of tools", nonBlankString())),
  deny: optional(arrayOf("names of tools", nonBlankString())),
} satisfies OptionTable<NonNullable<McpToolServerOptions["tools"]>>);

const envOption: OptionCheck<Readonly<Record<string, string>>> = satisfying(
  "an object with strings as values",
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(
      ([name, text]) => name !== "" && !/[=\0]/.test(name) && typeof text === "string" && !text.includes("\0"),
    ),
);

const programText = satisfying<string>("a string without NUL", (value) => {
  return typeof value === "string" && !value.includes("\0");
});

const commandOption = satisfying<string>("the name or path of a program", (value) => {
  return typeof value === "string" && value.trim() !== "" && !value.includes("\0");
});

const urlOption = satisfying<string>("an http: or https: URL without user and password", (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return isWeb && url.username === "" && url.password === "";
});

const headersOption: OptionCheck<NonNullable<McpToolServerOptions["headers"]>> = (value, name, where) => {
  const checked = networkOptions.headers(value, name, where) as McpHeaders | (() => McpHeaders);
  if (typeof checked === "function" || !Object.values(checked).some((text: unknown) => text === null)) return checked;
  throw new TroupeError(
    "invalid_config",
    "headers of an McpToolServer must be strings. Leave a header out instead of null.",
  );
};

const authOption = satisfying<AuthProvider | OAuthClientProvider>(
  "an AuthProvider or OAuthClientProvider of @modelcontextprotocol/client",
  (value) => typeof value === "object" && value !== null && ("token" in value || "tokens" in value),
);

const optionTable = {
  name: nonBlankString(maxServerNameLength),
  transport: oneOf("stdio", "http"),
  command: optional(commandOption),
  args: optional(arrayOf("strings", programText)),
  env: optional(envOption),
  cwd: optional(anyString),
  url: optional(urlOption),
  headers: optional(headersOption),
  authProvider: optional(authOption),
  fetch: optional(functionLike<McpFetch>()),
  tools: optional(filterOption),
  protocol: optional(oneOf("auto", "legacy", "2026-07-28")),
  connectTimeoutMs: optional(timeoutMilliseconds, 15_000),
  timeoutMs: optional(timeoutMilliseconds, 60_000),
  maxOutputBytes: optional(integer(1)),
  maxArtifactBytes: optional(integer(0), 1_048_576),
  maxMessageBytes: optional(integer(1024), 10 * 1024 * 1024),
  maxTools: optional(integer(1), 500),
  maxSchemaBytes: optional(integer(2), 65_536),
  maxDescriptionBytes: optional(integer(0), 4096),
  trustAnnotations: optional(anyBoolean, false),
  maxConnections: optional(integer(1)),
  idleTimeoutMs: optional(timeoutMilliseconds),
  logger: optional(loggerOption),
  onElicitation: optional(functionLike<NonNullable<McpHandlers["onElicitation"]>>()),
  onSampling: optional(functionLike<NonNullable<McpHandlers["onSampling"]>>()),
} satisfies OptionTable<McpToolServerOptions>;

/** The options of an `McpToolServer` after their check, with defaults. */
export type McpSettings = OptionsOf<typeof optionTable>;

/** The options that count for one transport only, and of these the one that it cannot do without. */
const ofTransport = {
  stdio: { required: "command", only: ["command", "args", "env", "cwd"] },
  http: { required: "url", only: ["url", "headers", "authProvider", "fetch", "maxConnections", "idleTimeoutMs"] },
} as const;

/** Checks the options of an `McpToolServer`. Throws `invalid_config` also for an option of the other transport. */
export function readMcpOptions(options: unknown): McpSettings {
  const settings = readOptions(optionTable, options, { owner: "McpToolServer" });
  const { transport } = settings;
  const { required } = ofTransport[transport];
  if (settings[required] === undefined) {
    throw new TroupeError("invalid_config", `An McpToolServer with transport "${transport}" needs ${required}.`);
  }
  const other = transport === "stdio" ? "http" : "stdio";
  const stray = ofTransport[other].only.find((name) => settings[name] !== undefined);
  if (stray !== undefined) {
    const message = `${stray} has no effect with transport "${transport}". Leave it out, or use transport "${other}".`;
    throw new TroupeError("invalid_config", message);
  }
  for (const name of ["maxConnections", "idleTimeoutMs"] as const) {
    if (settings[name] === undefined || typeof settings.headers === "function") continue;
    const message = `${name} has an effect only where headers is a function. Leave it out: there is one connection.`;
    throw new TroupeError("invalid_config", message);
  }
  return settings;
}
