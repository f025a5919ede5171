import { TroupeError } from "@troupe/core";
import type { Logger, RunContext } from "@troupe/core";
import {
  booleanOption,
  stringOption,
  arrayOf,
  functionOption,
  integerOption,
  loggerOption,
  nested,
  networkOptionTable,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  customOption,
  timeoutOption,
} from "@troupe/core/kit";
import type { OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";
import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { McpHandlers } from "./host-handlers.ts";

/** Request headers for an MCP server, by name. */
export type McpHeaders = Readonly<Record<string, string>>;

/** A function that sends the HTTP requests to an MCP server, such as the global `fetch`. */
export type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Options of an `McpToolServer`: the server's name, how to reach it, and limits. */
export type McpToolServerOptions = McpHandlers & {
  /** The prefix of the tool names: `files` makes `files__read_file`. Must be unique among the servers of an agent. */
  name: string;
  /** `"stdio"` starts the server as a process; `"http"` connects to its URL. */
  transport: "stdio" | "http";
  /** The program to start, without a shell (stdio only, where it is required). */
  command?: string | undefined;
  /** The arguments of the program (stdio only). */
  args?: readonly string[] | undefined;
  /** Environment variables of the program. It also gets `PATH` and `HOME`, but no other variable (stdio only). */
  env?: Readonly<Record<string, string>> | undefined;
  /** The working directory of the program (stdio only). @default the working directory of this process */
  cwd?: string | undefined;
  /** The server's URL, without user and password (http only, where it is required). */
  url?: string | undefined;
  /**
   * Headers of each request (http only). A function is called with the context of the run that uses the server, and
   * without a context outside of runs. Each set of headers has its own connections and tools.
   */
  headers?: McpHeaders | ((context?: RunContext) => McpHeaders | Promise<McpHeaders>) | undefined;
  /** Provides OAuth tokens (http only). */
  authProvider?: AuthProvider | OAuthClientProvider | undefined;
  /** Sends the requests instead of the global `fetch` (http only). */
  fetch?: McpFetch | undefined;
  /**
   * The tools that an agent gets, by the server's own names: the tools in `allow`, if given, except the tools in
   * `deny`.
   */
  tools?: { allow?: readonly string[] | undefined; deny?: readonly string[] | undefined } | undefined;
  /**
   * The revision of the protocol: `"legacy"` begins with `initialize`, `"2026-07-28"` never sends it, `"auto"` asks the
   * server. @default "auto" for http; for stdio "legacy", then "2026-07-28" if the server refuses `initialize`
   */
  protocol?: "auto" | "legacy" | "2026-07-28" | undefined;
  /** Milliseconds to wait for connecting, and for listing the tools. @default 15_000 */
  connectTimeoutMs?: number | undefined;
  /** Milliseconds to wait for one tool call, and for reading a resource or prompt. @default 60_000 */
  timeoutMs?: number | undefined;
  /** Largest content that the model gets from one call, in bytes: see `ToolDef`. @default 262_144 */
  maxOutputBytes?: number | undefined;
  /**
   * Largest total size of the artifacts of one call, in bytes of JSON. An artifact beyond it is replaced by an artifact
   * `left_out`, with its type and size. @default 1_048_576
   */
  maxArtifactBytes?: number | undefined;
  /**
   * Largest message of the server, and largest total size of its tools, in bytes. A larger message ends the connection.
   * @default 10_485_760
   */
  maxMessageBytes?: number | undefined;
  /** Largest number of tools that the server may list. A longer list is refused, not shortened. @default 500 */
  maxTools?: number | undefined;
  /**
   * Largest size of each schema of a tool, in bytes of JSON. A list with a larger schema is refused. @default 65_536
   */
  maxSchemaBytes?: number | undefined;
  /** Largest size of a tool's description in bytes. A list with a longer description is refused. @default 4096 */
  maxDescriptionBytes?: number | undefined;
  /**
   * Accepts the server's statement which tools are safe to call again: `readOnlyHint` makes a tool `pure`,
   * `idempotentHint` makes it `idempotent`. Set it only for a server that you trust. @default false: each tool is
   * `once`
   */
  trustAnnotations?: boolean | undefined;
  /** Largest number of open connections if `headers` is a function. @default 100 */
  maxConnections?: number | undefined;
  /** Milliseconds after which an unused connection is closed if `headers` is a function. @default 300_000 */
  idleTimeoutMs?: number | undefined;
  /**
   * Receives warnings, and at level `debug` the server's standard error and log messages, up to 64 KB per minute.
   * @default none
   */
  logger?: Logger | undefined;
};

const maxServerNameLength = 64;

const filterOption = nested({
  allow: optional(arrayOf("names of tools", nonBlankString())),
  deny: optional(arrayOf("names of tools", nonBlankString())),
} satisfies OptionTable<NonNullable<McpToolServerOptions["tools"]>>);

const envOption: OptionCheck<Readonly<Record<string, string>>> = customOption(
  "an object with strings as values",
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(
      ([name, text]) => name !== "" && !/[=\0]/.test(name) && typeof text === "string" && !text.includes("\0"),
    ),
);

const programText = customOption<string>("a string without NUL", (value) => {
  return typeof value === "string" && !value.includes("\0");
});

const commandOption = customOption<string>("the name or path of a program", (value) => {
  return typeof value === "string" && value.trim() !== "" && !value.includes("\0");
});

const urlOption = customOption<string>("an http: or https: URL without user and password", (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return isWeb && url.username === "" && url.password === "";
});

const headersOption: OptionCheck<NonNullable<McpToolServerOptions["headers"]>> = (value, name, where) => {
  const checked = networkOptionTable.headers(value, name, where) as McpHeaders | (() => McpHeaders);
  if (typeof checked === "function" || !Object.values(checked).some((text: unknown) => text === null)) return checked;
  throw new TroupeError(
    "invalid_config",
    "headers of an McpToolServer must be strings. Leave a header out instead of null.",
  );
};

const authOption = customOption<AuthProvider | OAuthClientProvider>(
  "an AuthProvider or OAuthClientProvider of @modelcontextprotocol/client",
  (value) => typeof value === "object" && value !== null && ("token" in value || "tokens" in value),
);

const optionTable = {
  name: nonBlankString(maxServerNameLength),
  transport: oneOf("stdio", "http"),
  command: optional(commandOption),
  args: optional(arrayOf("strings", programText)),
  env: optional(envOption),
  cwd: optional(stringOption),
  url: optional(urlOption),
  headers: optional(headersOption),
  authProvider: optional(authOption),
  fetch: optional(functionOption<McpFetch>()),
  tools: optional(filterOption),
  protocol: optional(oneOf("auto", "legacy", "2026-07-28")),
  connectTimeoutMs: optional(timeoutOption, 15_000),
  timeoutMs: optional(timeoutOption, 60_000),
  maxOutputBytes: optional(integerOption(1)),
  maxArtifactBytes: optional(integerOption(0), 1_048_576),
  maxMessageBytes: optional(integerOption(1024), 10 * 1024 * 1024),
  maxTools: optional(integerOption(1), 500),
  maxSchemaBytes: optional(integerOption(2), 65_536),
  maxDescriptionBytes: optional(integerOption(0), 4096),
  trustAnnotations: optional(booleanOption, false),
  maxConnections: optional(integerOption(1)),
  idleTimeoutMs: optional(timeoutOption),
  logger: optional(loggerOption),
  onElicitation: optional(functionOption<NonNullable<McpHandlers["onElicitation"]>>()),
  onSampling: optional(functionOption<NonNullable<McpHandlers["onSampling"]>>()),
} satisfies OptionTable<McpToolServerOptions>;

/** The checked options of an `McpToolServer`, with defaults. */
export type McpSettings = OptionsOf<typeof optionTable>;

/** The options that belong to only one transport, and the option that each transport requires. */
const ofTransport = {
  stdio: { required: "command", only: ["command", "args", "env", "cwd"] },
  http: { required: "url", only: ["url", "headers", "authProvider", "fetch", "maxConnections", "idleTimeoutMs"] },
} as const;

/**
 * Checks the options of an `McpToolServer`. Throws `invalid_config` for a wrong or missing option, and for an option
 * that has no effect, such as an option of the other transport.
 */
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
