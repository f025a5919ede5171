import { createLogger, TroupeError } from "@troupe/core";
import type { Logger, Runnable } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import {
  anyBoolean,
  arrayOf,
  baseUrlOption,
  functionLike,
  integer,
  loggerOption,
  methods,
  nested,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/kit";
import { readRunnables, requestSourceOptions } from "@troupe/core/transport";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";
import type { EndingRuns, HostRunOptions, Registry } from "@troupe/core/transport";
import type { Request, RequestHandler } from "express";
import type { AgentProvider } from "../card/agent-card.ts";
import type { A2AExtendedCard } from "../card/extended-card.ts";
import { checkSecurity, securityOption, securitySchemesOption } from "../card/security-schemes.ts";
import type { CardSecurity, SecurityScheme } from "../card/security-schemes.ts";
import { pushOption } from "../push/push-options.ts";
import type { PushOptions, PushSettings } from "../push/push-options.ts";
import { PushSender } from "../push/push-sender.ts";
import { TaskRuns } from "../tasks/task-runs.ts";

/** The shutdown of a service, which ends the tasks of a server: that of `createShutdown` of `@troupe/http`. */
export type A2AShutdown = {
  /** Ends these runs when the service ends. */
  add(runs: EndingRuns): unknown;
};

/** The server's option `runOptions`: returns options of the run that a message begins, over the agent's own. */
export type A2ARunOptions = (request: Request) => HostRunOptions | undefined | Promise<HostRunOptions | undefined>;

/** Options of `createA2AServer`. */
export type A2AServerOptions = {
  /** Agents, teams and other runnables by name. A message that names none is for the first. */
  agents: Registry<Runnable>;
  /** Path of the JSON-RPC endpoint, below where the router is mounted. @default "/" */
  basePath?: string | undefined;
  /** The organization that cards name as the provider. @default none */
  provider?: AgentProvider | undefined;
  /**
   * The card at `/.well-known/agent-card.json` for clients that ask for no version, neither by `A2A-Version` nor by the media type
   * of 1.0: one with the fields of all versions (`"hybrid"`), or of A2A 1.0 alone (`"v1"`), for clients that take no field that
   * they do not know. @default "hybrid"
   */
  cardMode?: "hybrid" | "v1" | undefined;
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
  /**
   * The names of agents that may answer by a message in place of a task, with `answerByMessage`. Their streams begin with the
   * first words or artifact, not at once, so that the message can be all that is streamed. @default none
   */
  mayAnswerByMessage?: readonly string[] | undefined;
  /** Ways in which the host authenticates clients, by name, as OpenAPI has them, for cards. @default none */
  securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined;
  /** The schemes that a client needs, each with its scopes: one of these requirements is enough. For cards. @default none */
  security?: readonly Readonly<Record<string, readonly string[]>>[] | undefined;
  /**
   * Returns what the card says to a client with a `request.principal`, in place of the public card: other skills, for example.
   * @default none, and cards that declare none
   */
  extendedCard?: A2AExtendedCard | undefined;
  /** Handlers that run before the endpoint's own, such as the authentication that sets `request.principal`. Cards are public. */
  middleware?: readonly RequestHandler[] | undefined;
  /**
   * The names and addresses of this service, by which requests may call it: `"example.org"` on any port,
   * `"example.org:8080"` or `"[::1]"`. @default any
   */
  allowedHosts?: readonly string[] | undefined;
  /** Origins whose pages may call the endpoint, such as `https://app.example.org`. @default pages of the service's own host */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * `true` says that the remote address of a request is one client's: on Express `request.ip`, which follows `trust proxy`. Callers
   * without a user are then bounded by address too, of which IPv6 addresses of one /64 are one. @default false: they are all one
   */
  trustAddresses?: boolean | undefined;
  /** `false` leaves the header `x-api-key` to the host's own authentication. @default true */
  genericApiKeyHeader?: boolean | undefined;
  /** The maximum size of a request in bytes, with the files in it. @default 10_485_760 */
  maxBodyBytes?: number | undefined;
  /** Returns metadata, limits, model options and more for the run that a message begins. @default none */
  runOptions?: A2ARunOptions | undefined;
  /**
   * Push notifications to addresses that clients name: `true`, or options. A service with a lasting storage needs `sealKeys` for
   * them. @default false: the server then sends nothing to addresses that come from outside
   */
  pushNotifications?: boolean | PushOptions | undefined;
  /** Milliseconds between the heartbeats of a stream that has no events. @default 15_000 */
  heartbeatMs?: number | undefined;
  /**
   * The shutdown of `createShutdown` of `@troupe/http`, which then ends this server too: new tasks are refused, those in memory
   * have the grace period, and streams of durable ones end. @default none
   */
  shutdown?: A2AShutdown | undefined;
  /** Receives failures of the service itself, and warnings of runs. @default warnings and errors, on the standard error stream */
  logger?: Logger | undefined;
};

const path = satisfying<string>(
  'a path such as "/a2a", without a slash at its end',
  (value) => typeof value === "string" && (value === "/" || /^(?:\/[\w.~-]+)+$/.test(value)),
);

const provider: OptionCheck<AgentProvider> = nested({ organization: nonBlankString(), url: optional(baseUrlOption) });

const optionTable = {
  agents: readRunnables,
  basePath: optional(path, "/"),
  provider: optional(provider),
  cardMode: optional(oneOf("hybrid", "v1"), "hybrid"),
  version: optional(nonBlankString(), "1.0.0"),
  baseUrl: optional(baseUrlOption),
  runs: optional(methods<RunService>("a RunService", "accept", "find", "events")),
  mayAnswerByMessage: optional(arrayOf("names", nonBlankString()), []),
  securitySchemes: optional(securitySchemesOption),
  security: optional(securityOption),
  extendedCard: optional(functionLike<A2AExtendedCard>()),
  middleware: optional(arrayOf("request handlers", functionLike<RequestHandler>()), []),
  ...requestSourceOptions,
  trustAddresses: optional(anyBoolean, false),
  genericApiKeyHeader: optional(anyBoolean, true),
  maxBodyBytes: optional(integer(1), 10_485_760),
  runOptions: optional(functionLike<A2ARunOptions>()),
  pushNotifications: optional(pushOption, false),
  heartbeatMs: optional(timeoutMilliseconds, 15_000),
  shutdown: optional(methods<A2AShutdown>("what createShutdown() of @troupe/http returns", "add")),
  logger: optional(loggerOption),
} satisfies OptionTable<A2AServerOptions>;

/** The options of a server after their check, with defaults, and what all its routes share. */
export type A2ASettings = Readonly<CardSecurity> & {
  readonly basePath: string;
  readonly provider?: AgentProvider;
  readonly cardMode: "hybrid" | "v1";
  readonly version: string;
  readonly baseUrl?: string;
  readonly extendedCard?: A2AExtendedCard;
  readonly middleware: readonly RequestHandler[];
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly trustAddresses: boolean;
  readonly genericApiKeyHeader: boolean;
  readonly maxBodyBytes: number;
  readonly runOptions?: A2ARunOptions;
  /** Sends push notifications, where they are offered. */
  readonly push: PushSender | undefined;
  readonly heartbeatMs: number;
  readonly shutdown?: A2AShutdown;
  readonly logger: Logger;
  readonly runs: TaskRuns;
  readonly mayAnswerByMessage: ReadonlySet<string>;
  /** The agent of messages that name none. */
  readonly firstAgent: string;
};

/** Checks the options of `createA2AServer`. A wrong or unknown one throws `invalid_config`. */
export function readA2AServerOptions(options: A2AServerOptions): A2ASettings {
  const {
    agents,
    runs: durable,
    pushNotifications,
    mayAnswerByMessage: named,
    ...read
  } = readOptions(optionTable, options, { owner: "createA2AServer" });
  const { logger = createLogger({ level: "warn", prefix: "a2a" }) } = read;
  checkSecurity(read);
  const [firstAgent] = agents.keys();
  const unknown = named.find((name) => !agents.has(name));
  if (unknown !== undefined) {
    const message = `mayAnswerByMessage of createA2AServer must have names of agents, got ${JSON.stringify(unknown)}.`;
    throw new TroupeError("invalid_config", message);
  }
  if (firstAgent === undefined) {
    throw new TroupeError("invalid_config", "agents of createA2AServer must have at least one agent by its name.");
  }
  const push = pushNotifications === false ? undefined : makeSender(pushNotifications, { ...read, durable, logger });
  const onRunsOver = push && (async () => await push.flush());
  const taskRuns = new TaskRuns({ agents, runs: durable, logger, onRunsOver });
  return { ...read, logger, firstAgent, mayAnswerByMessage: new Set(named), push, runs: taskRuns };
}

type SenderOf = Pick<A2ASettings, "logger" | "baseUrl" | "basePath"> & { durable: RunService | undefined };

function makeSender(settings: PushSettings, { durable, logger, baseUrl, basePath }: SenderOf): PushSender {
  if (durable !== undefined && !durable.subscriptions.canKeep) {
    throw new TroupeError(
      "invalid_config",
      "pushNotifications of createA2AServer would store addresses and tokens of receivers. Give the RunService sealKeys, with which they are encrypted.",
    );
  }
  const issuer = baseUrl && baseUrl.replace(/\/+$/, "") + basePath;
  return new PushSender({ settings, logger, durable, issuer });
}
