import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import {
  anyBoolean,
  anyString,
  integer,
  loggerOption,
  nonBlankString,
  optional,
  readOptions,
  requestSourceOptions,
} from "@troupe/core/adapter";
import type { OptionCheck, OptionTable } from "@troupe/core/adapter";
import { readServedTools } from "./served-tools.ts";
import type { ServedRegistries, ServedTool } from "./served-tools.ts";

/** Options of `createMcpServer`: the agents, teams and workflows that become tools, and who may call them. */
export type McpServerOptions = ServedRegistries & {
  /** The name of the server, which hosts show to their users. @default "troupe" */
  name?: string | undefined;
  /** The version of the server. @default "1.0.0" */
  version?: string | undefined;
  /** Advice to the models of clients on the use of the tools. @default none */
  instructions?: string | undefined;
  /**
   * Origins whose pages may call the server over HTTP, such as `https://app.example.org`. Programs that are no browsers send
   * no origin. @default pages of the server's own host: of a host in `allowedHosts`, or of localhost
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * The names and addresses of this service, by which requests over HTTP may call it: `"example.org"` on any port,
   * `"example.org:8080"` or `"[::1]"`. @default any
   */
  allowedHosts?: readonly string[] | undefined;
  /** `false` leaves the header `x-api-key` to the host's own authentication. @default true */
  genericApiKeyHeader?: boolean | undefined;
  /** The maximum size of a message in bytes. A longer one is refused over HTTP and ends a connection over stdio. @default 1_048_576 */
  maxBodyBytes?: number | undefined;
  /** Receives the failures of runs and of the service itself. @default warnings and errors, on the standard error stream */
  logger?: Logger | undefined;
};

// The tools are read from these three together.
const unread: OptionCheck<undefined> = () => undefined;

const optionTable = {
  agents: unread,
  teams: unread,
  workflows: unread,
  name: optional(nonBlankString(), "troupe"),
  version: optional(nonBlankString(), "1.0.0"),
  instructions: optional(anyString),
  ...requestSourceOptions,
  genericApiKeyHeader: optional(anyBoolean, true),
  maxBodyBytes: optional(integer(1), 1_048_576),
  logger: optional(loggerOption),
} satisfies OptionTable<McpServerOptions>;

/** The options of `createMcpServer` after their check, with defaults and the tools made of the registries. */
export type McpServerSettings = {
  readonly tools: ReadonlyMap<string, ServedTool>;
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly allowedOrigins?: readonly string[];
  readonly allowedHosts?: readonly string[];
  readonly genericApiKeyHeader: boolean;
  readonly maxBodyBytes: number;
  readonly logger: Logger;
};

/** Checks the options of `createMcpServer` and makes the tools. A wrong or unknown option throws `invalid_config`. */
export function readMcpServerOptions(options: McpServerOptions): McpServerSettings {
  const { logger = createLogger({ level: "warn", prefix: "mcp" }), ...read } = readOptions(optionTable, options, {
    owner: "createMcpServer",
  });
  return { ...read, logger, tools: readServedTools(options) };
}
