import { createLogger, TroupeError } from "@troupe/core";
import type { Logger, Runnable, RunService } from "@troupe/core";
import {
  anyBoolean,
  arrayOf,
  functionLike,
  integer,
  loggerOption,
  methods,
  nonBlankString,
  optional,
  readOptions,
  readRunnables,
  requestSourceOptions,
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/adapter";
import type { HostRunOptions, OptionTable, Registry } from "@troupe/core/adapter";
import type { Request, RequestHandler } from "express";
import { TaskRuns } from "../tasks/task-runs.ts";

/** The organization that an agent card names as the provider of its agents. */
export type A2AProvider = { organization: string; url?: string | undefined };

/** The server's option `runOptions`: returns options of the run that a message begins, over the agent's own. */
export type A2ARunOptions = (request: Request) => HostRunOptions | undefined | Promise<HostRunOptions | undefined>;

/** Options of `createA2AServer`. */
export type A2AServerOptions = {
  /** Agents, teams and other runnables by name. A message that names none is for the first. */
  agents: Registry<Runnable>;
  /** Path of the JSON-RPC endpoint, below where the router is mounted. @default "/" */
  basePath?: string | undefined;
  /** The organization that cards name as the provider. @default none */
  provider?: A2AProvider | undefined;
  /** Version of the agents in their cards. @default "1.0.0" */
  version?: string | undefined;
  /**
   * The public URL at which the router is mounted, such as `https://example.org`, for the URLs in cards.
   * @default the address of each request, and cards that no shared cache may keep
   */
  baseUrl?: string | undefined;
  /**
   * The service that performs the runs of those agents that it has, under the same names: their tasks survive the process if it
   * has a storage. The host makes it, and calls its `serve` and `close`. @default one in memory, for the newest 1,000 tasks
   */
  runs?: RunService | undefined;
  /** Handlers that run before the endpoint's own, such as the authentication that sets `request.principal`. Cards are public. */
  middleware?: readonly RequestHandler[] | undefined;
  /**
   * The names and addresses of this service, by which requests may call it: `"example.org"` on any port,
   * `"example.org:8080"` or `"[::1]"`. @default any
   */
  allowedHosts?: readonly string[] | undefined;
  /** Origins whose pages may call the endpoint, such as `https://app.example.org`. @default pages of the service's own host */
  allowedOrigins?: readonly string[] | undefined;
  /** `false` leaves the header `x-api-key` to the host's own authentication. @default true */
  genericApiKeyHeader?: boolean | undefined;
  /** The maximum size of a request in bytes, with the files in it. @default 10_485_760 */
  maxBodyBytes?: number | undefined;
  /** Returns metadata, limits, model options and more for the run that a message begins. @default none */
  runOptions?: A2ARunOptions | undefined;
  /** Milliseconds between the heartbeats of a stream that has no events. @default 15_000 */
  heartbeatMs?: number | undefined;
  /** Receives failures of the service itself, and warnings of runs. @default warnings and errors, on the standard error stream */
  logger?: Logger | undefined;
};

const path = satisfying<string>(
  'a path such as "/a2a", without a slash at its end',
  (value) => typeof value === "string" && (value === "/" || /^(?:\/[\w.~-]+)+$/.test(value)),
);

const webUrl = satisfying<string>("an http(s) URL without query and fragment", isWebUrl);

const providerOption = satisfying<A2AProvider>("{ organization, url? }, both strings", (value) => {
  if (typeof value !== "object" || value === null) return false;
  const { organization, url, ...others } = value as Record<string, unknown>;
  const hasUrl = url === undefined || isWebUrl(url);
  return typeof organization === "string" && organization !== "" && hasUrl && Object.keys(others).length === 0;
});

const optionTable = {
  agents: readRunnables,
  basePath: optional(path, "/"),
  provider: optional(providerOption),
  version: optional(nonBlankString(), "1.0.0"),
  baseUrl: optional(webUrl),
  runs: optional(methods<RunService>("a RunService", "accept", "find", "events")),
  middleware: optional(arrayOf("request handlers", functionLike<RequestHandler>()), []),
  ...requestSourceOptions,
  genericApiKeyHeader: optional(anyBoolean, true),
  maxBodyBytes: optional(integer(1), 10_485_760),
  runOptions: optional(functionLike<A2ARunOptions>()),
  heartbeatMs: optional(timeoutMilliseconds, 15_000),
  logger: optional(loggerOption),
} satisfies OptionTable<A2AServerOptions>;

/** The options of a server after their check, with defaults, and what all its routes share. */
export type A2ASettings = {
  readonly basePath: string;
  readonly provider?: A2AProvider;
  readonly version: string;
  readonly baseUrl?: string;
  readonly middleware: readonly RequestHandler[];
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly genericApiKeyHeader: boolean;
  readonly maxBodyBytes: number;
  readonly runOptions?: A2ARunOptions;
  readonly heartbeatMs: number;
  readonly logger: Logger;
  readonly runs: TaskRuns;
  /** The agent of messages that name none. */
  readonly firstAgent: string;
};

/** Checks the options of `createA2AServer`. A wrong or unknown one throws `invalid_config`. */
export function readA2AServerOptions(options: A2AServerOptions): A2ASettings {
  const { agents, runs, ...read } = readOptions(optionTable, options, { owner: "createA2AServer" });
  const { logger = createLogger({ level: "warn", prefix: "a2a" }), baseUrl } = read;
  const [firstAgent] = agents.keys();
  if (firstAgent === undefined) {
    throw new TroupeError("invalid_config", "agents of createA2AServer must have at least one agent by its name.");
  }
  return {
    ...read,
    ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, "") }),
    logger,
    firstAgent,
    runs: new TaskRuns({ agents, runs, logger }),
  };
}

function isWebUrl(value: unknown): value is string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
}
