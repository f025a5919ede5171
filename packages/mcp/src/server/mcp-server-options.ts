import { createLogger, TroupeError } from "@troupe/core";
import type { Logger, Runnable } from "@troupe/core";
import type { RunKind, RunService } from "@troupe/core/runs";
import {
  anyBoolean,
  anyString,
  functionLike,
  integer,
  loggerOption,
  methods,
  nonBlankString,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/kit";
import { requestSourceOptions } from "@troupe/core/transport";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";
import type { McpRunOptions } from "./call-tool.ts";
import type { McpExtend } from "./extension.ts";
import type { McpShutdown } from "./running-calls.ts";
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
  /**
   * Adds tools, prompts, resources and handlers of your own to the official library's server, for each server that is made.
   * @default none
   */
  extend?: McpExtend | undefined;
  /**
   * With `extend`: the number of sessions over HTTP that are kept at once for clients of revisions before 2026-07-28, so that
   * tools can ask them. Beyond it the one that was used longest ago gives way. Those of callers without a user are bounded apart: as
   * many where no user comes, and a tenth beside users. With `0` none is kept. @default 1_000
   */
  maxSessions?: number | undefined;
  /** With `extend`: milliseconds after which an unused session is ended. @default 1_800_000 */
  sessionIdleMs?: number | undefined;
  /**
   * With `extend`: the secret that signs the states of `sealState`, at least 32 characters. Processes that serve the same
   * clients share it. @default a random one, of this process
   */
  stateKey?: string | undefined;
  /**
   * `true` says that the remote address of a request is one client's: on Express `request.ip`, which follows `trust proxy`. Callers
   * without a user are then bounded by address too, of which IPv6 addresses of one /64 are one. @default false: they are all one
   */
  trustAddresses?: boolean | undefined;
  /** `false` leaves the header `x-api-key` to the host's own authentication. @default true */
  genericApiKeyHeader?: boolean | undefined;
  /** The maximum size of a message in bytes. A longer one is refused over HTTP and ends a connection over stdio. @default 1_048_576 */
  maxBodyBytes?: number | undefined;
  /**
   * Returns options of the run that a request asks for, over the agent's own: `{ metadata?, limits?, modelOptions?, model?,
   * instructions?, tools? }`. It is called for each call of an agent, team or workflow, over stdio without a request.
   * @default none
   */
  runOptions?: McpRunOptions | undefined;
  /**
   * The host's `RunService`. A task of an agent, team or workflow that it has too is a durable run: it goes on after a restart,
   * and is reached over every transport. @default none: tasks are kept in memory, and end with the process
   */
  runs?: RunService | undefined;
  /**
   * The number of open tasks of users that are kept in memory at once, of which each has at most a tenth, or 20. Callers without a
   * user have as many where no user comes, and a tenth beside users. A service in `runs` has its own bounds. @default 1_000
   */
  maxTasks?: number | undefined;
  /**
   * The bytes of images, audio and files of a run's tools that one result has at most, in base64. What is beyond is left out,
   * with a line that says so; with `0` none is sent. @default 1_048_576
   */
  maxMediaBytes?: number | undefined;
  /**
   * The shutdown of `createShutdown` of `@troupe/http`, which then ends this server too: new calls are refused, and those that
   * run have the grace period. @default none: call `close`
   */
  shutdown?: McpShutdown | undefined;
  /** Receives the failures of runs and of the service itself, and warnings of runs. @default warnings and errors, on the standard error stream */
  logger?: Logger | undefined;
};

const longSecret = satisfying<string>(
  "a string of at least 32 characters",
  (value) => typeof value === "string" && value.length >= 32,
);

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
  extend: optional(functionLike<McpExtend>()),
  maxSessions: optional(integer(0)),
  sessionIdleMs: optional(timeoutMilliseconds),
  stateKey: optional(longSecret),
  trustAddresses: optional(anyBoolean, false),
  genericApiKeyHeader: optional(anyBoolean, true),
  maxBodyBytes: optional(integer(1), 1_048_576),
  runOptions: optional(functionLike<McpRunOptions>()),
  runs: optional(methods<RunService>("a RunService", "accept", "get", "events", "answer", "cancel", "list", "find")),
  maxTasks: optional(integer(1), 1000),
  maxMediaBytes: optional(integer(0), 1_048_576),
  shutdown: optional(methods<McpShutdown>("what createShutdown() of @troupe/http returns", "add")),
  logger: optional(loggerOption),
} satisfies OptionTable<McpServerOptions>;

/** The options of `createMcpServer` after their check, with defaults and the tools made of the registries. */
export type McpServerSettings = {
  readonly tools: ReadonlyMap<string, ServedTool>;
  /** The entries that the tools are made of. */
  readonly agents: ReadonlyMap<string, Runnable>;
  readonly teams: ReadonlyMap<string, Runnable>;
  readonly workflows: ReadonlyMap<string, object>;
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly allowedOrigins?: readonly string[];
  readonly allowedHosts?: readonly string[];
  readonly extend?: McpExtend;
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly stateKey?: string;
  readonly trustAddresses: boolean;
  readonly genericApiKeyHeader: boolean;
  readonly maxBodyBytes: number;
  readonly runOptions?: McpRunOptions;
  readonly runs?: RunService;
  readonly maxTasks: number;
  readonly maxMediaBytes: number;
  readonly shutdown?: McpShutdown;
  readonly logger: Logger;
};

/** Options that only a server with `extend` needs. */
const extensionOptions = ["maxSessions", "sessionIdleMs", "stateKey"] as const;

/** Checks the options of `createMcpServer` and makes the tools. A wrong or unknown option throws `invalid_config`. */
export function readMcpServerOptions(options: McpServerOptions): McpServerSettings {
  const read = readOptions(optionTable, options, { owner: "createMcpServer" });
  const { logger = createLogger({ level: "warn", prefix: "mcp" }) } = read;
  const { extend, maxSessions = 1000, sessionIdleMs = 1_800_000 } = read;
  for (const name of extensionOptions) {
    if (extend !== undefined || read[name] === undefined) continue;
    const message = `${name} has no effect without extend: only what extend adds needs it. Set extend, or leave ${name} out.`;
    throw new TroupeError("invalid_config", message);
  }
  if (maxSessions === 0 && read.sessionIdleMs !== undefined) {
    const message =
      "sessionIdleMs has no effect with maxSessions 0, which keeps no sessions. Leave one of the two out.";
    throw new TroupeError("invalid_config", message);
  }
  const tools = readServedTools(options, extend !== undefined);
  return { ...read, logger, maxSessions, sessionIdleMs, tools, ...registriesOf(tools) };
}

function registriesOf(
  tools: ReadonlyMap<string, ServedTool>,
): Pick<McpServerSettings, "agents" | "teams" | "workflows"> {
  const targets = [...tools.values()].map(({ target }) => target);
  const entriesOf = <Entry>(wanted: RunKind): Map<string, Entry> =>
    new Map(targets.flatMap(({ kind, name, entry }) => (kind === wanted ? [[name, entry as Entry]] : [])));
  return { agents: entriesOf("agent"), teams: entriesOf("team"), workflows: entriesOf("workflow") };
}
