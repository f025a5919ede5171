import {
  booleanOption,
  functionOption,
  integerOption,
  methodsOption,
  oneOf,
  optional,
  customOption,
  timeoutOption,
} from "../../base/errors/option-checks.ts";
import { checkOptionNames, readOptions, wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionsOf, OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { createLogger, loggerOption } from "../../base/log/logger.ts";
import type { Logger } from "../../base/log/logger.ts";
import { telemetryOption } from "../../base/telemetry/telemetry.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { HostRunOptions } from "../../agents/agent/host-run-options.ts";
import type { Registry } from "../../agents/run/registry.ts";
import { runLimitsOption } from "../../agents/run/run-limits.ts";
import type { RunLimits } from "../../agents/run/run-options.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import { requestSourceOptions } from "../../provider/wire/request-source.ts";
import type { RunEngine } from "../../runs/processes/run-engine.ts";
import type { RunService } from "../../runs/service/run-service.ts";
import type { WebhookOptions, WebhookTarget } from "../../runs/webhooks/webhook-options.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { BodyUserId, Principal } from "../request/principal.ts";
import { readRunnables, readWorkflows } from "../request/served-registry.ts";
import type { ServedWorkflow } from "../request/served-registry.ts";
import type { ServiceRequest } from "../request/service-request.ts";
import type { OnDisconnect, WaitingQuestion } from "../runs/served-runs.ts";

/** The schedules that clients of a service may have. */
export type ScheduleOptions = {
  /**
   * Returns true if the sender of a request may use schedules. It is called for each request of a signed-in user.
   * @default all signed-in users may
   */
  allow?: ((request: ServiceRequest) => boolean | Promise<boolean>) | undefined;
  /**
   * The maximum number of schedules of one user.
   * @default 20; with `runs`, the `schedulesPerUser` of its `admission`
   */
  maxPerUser?: number | undefined;
};

/** The storage and engine of a service's durable runs. */
export type DurableOptions = {
  /** The driver that stores the runs. @default the service's `storage` */
  storage?: StorageDriver | undefined;
  /** The engine that distributes the runs to processes. @default this process performs them */
  engine?: RunEngine | undefined;
  /**
   * Secrets of at least 32 characters that encrypt callers' API keys in stored runs. The first secret encrypts; all of
   * them decrypt. `false` refuses runs with a caller's key.
   */
  sealKeys?: readonly string[] | false | undefined;
  /** `false` only accepts runs, which other processes perform. @default true */
  perform?: boolean | undefined;
};

/** Options of {@link createService}: the agents, teams and workflows to serve, their users, and limits. */
export type ServiceOptions<
  Agents extends Registry<Runnable> = Registry<Runnable>,
  Teams extends Registry<Runnable> = Registry<Runnable>,
  Workflows extends Registry<ServedWorkflow> = Registry<ServedWorkflow>,
> = {
  /** Agents by their names in the service. */
  agents?: Agents | undefined;
  /** Teams by their names in the service. */
  teams?: Teams | undefined;
  /** Workflows by their names in the service. */
  workflows?: Workflows | undefined;
  /** The storage of the service's own records, such as its durable runs. Agents have storages of their own. */
  storage?: StorageDriver | undefined;
  /**
   * Makes all runs durable: they outlive their connections and the process. `true` stores them in `storage`. If
   * `storage` outlives the process, `true` refuses runs with a caller's API key, and `durable: { sealKeys }` accepts
   * them. @default runs end with their connections
   */
  durable?: boolean | DurableOptions | undefined;
  /**
   * Lets signed-in users have schedules, which begin durable runs for them: `true` for all users. @default clients have
   * no schedules
   */
  schedules?: boolean | ScheduleOptions | undefined;
  /**
   * A run service that the host makes, starts and closes itself, instead of `durable`. Runs of agents, teams and
   * workflows that the run service also has are durable.
   */
  runs?: RunService | undefined;
  /**
   * Webhooks that are notified of the ends and waits of durable runs: an array of them, or an object with further
   * options. They need `durable`. @default none; the program may begin runs that have their own webhook
   */
  webhooks?: readonly WebhookTarget[] | WebhookOptions | undefined;
  /**
   * Returns the signed-in user of a request or a connection; undefined if there is none. A thrown error is sent as
   * the answer: throw a `TroupeError` with the code `unauthorized` for wrong credentials. Not called for health
   * probes and public agent cards. @default the `principal` that the host's own authentication has set on the
   * request, if any
   */
  authenticate?: ((request: ServiceRequest) => Principal | undefined | Promise<Principal | undefined>) | undefined;
  /**
   * Returns metadata, limits, model options and more for the run of a request, such as facts about its user for
   * tools. A thrown error is sent as the answer.
   */
  runOptions?:
    | ((request: ServiceRequest) => HostRunOptions | undefined | Promise<HostRunOptions | undefined>)
    | undefined;
  /**
   * Returns true if the sender of a request may answer a question, such as an approval, in another user's durable run.
   * @default only the run's own user may answer
   */
  mayAnswer?: ((request: ServiceRequest, wait: WaitingQuestion) => boolean | Promise<boolean>) | undefined;
  /**
   * `"trusted"` accepts the `userId` that a client sends as the user if no user is signed in. Use it only if every
   * client is a service of yours that has authenticated that user. `"unverified"` keeps such ids apart from signed-in
   * users.
   * @default "unverified"
   */
  bodyUserId?: BodyUserId | undefined;
  /** Limits of every run, unless `runOptions` returns others. @default the limits of the agent, team or workflow */
  limits?: RunLimits | undefined;
  /** `false` reserves the header `x-api-key` for the host's own authentication. @default true */
  genericApiKeyHeader?: boolean | undefined;
  /**
   * Host names and addresses to which requests for this service may be sent: `"example.org"` for any port,
   * `"example.org:8080"` or `"[::1]"`. @default any
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * Origins whose pages may send requests from another site, such as `https://app.example.org`.
   * @default pages of the service's own host
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * `true` if the remote address of a request identifies one client, or a function that returns the client's address.
   * Limits then apply per address to callers without a user; IPv6 addresses of one /64 count as one.
   * @default false: all callers without a user share one limit
   */
  trustAddresses?: boolean | ((request: ServiceRequest) => string | undefined) | undefined;
  /** Largest body of a request in bytes. @default 1 MiB; 10 MiB for A2A; more for uploads, within their own limits */
  maxBodyBytes?: number | undefined;
  /**
   * Policy for runs whose client disconnects. @default "cancel"; "continue" for durable runs and for runs with an
   * idempotency key
   */
  onDisconnect?: OnDisconnect | undefined;
  /**
   * Milliseconds for which the events of a finished run that is stored in this process can be read again. Such a run
   * has an idempotency key or outlives its connection. @default 60_000
   */
  resumeMs?: number | undefined;
  /** Milliseconds between heartbeats of a stream without events. @default 8_000 */
  heartbeatMs?: number | undefined;
  /**
   * Records traces and metrics of the service and its runs, such as `createTelemetry()` of `@troupe/otel`. It takes
   * precedence over the `telemetry` of an agent, a team or a workflow. @default nothing is recorded
   */
  telemetry?: Telemetry | undefined;
  /** Receives failures of the service itself, and warnings of runs. @default warnings and errors on standard error */
  logger?: Logger | undefined;
};

/** Returns the check of an option that is an object of options, `true` for their defaults, or `false`. */
function switchable<Checks extends Readonly<Record<string, OptionCheck<unknown>>>>(
  table: Checks,
): OptionCheck<OptionsOf<Checks> | undefined> {
  return (value, path, where) => {
    if (value === undefined || value === false) return undefined;
    if (value === true) return readOptions(table, {}, { path });
    if (isRecord(value)) return readOptions(table, value, { path });
    throw wrongOption({ ...where, name: path }, "true, false or an object of options", value);
  };
}

const storageOption = methodsOption<StorageDriver>("a storage driver", "get", "list");

const durableOptions = {
  storage: optional(storageOption),
  engine: optional(methodsOption<RunEngine>("an engine of durable runs", "submit", "serve")),
  // The run service itself checks the secrets.
  sealKeys: (value) => value as DurableOptions["sealKeys"],
  perform: optional(booleanOption, true),
} satisfies OptionTable<DurableOptions>;

const scheduleOptions = {
  allow: optional(functionOption<NonNullable<ScheduleOptions["allow"]>>()),
  maxPerUser: optional(integerOption(0)),
} satisfies OptionTable<ScheduleOptions>;

const serviceOptions = {
  agents: readRunnables,
  teams: readRunnables,
  workflows: readWorkflows,
  storage: optional(storageOption),
  durable: switchable(durableOptions),
  schedules: switchable(scheduleOptions),
  runs: optional(methodsOption<RunService>("a RunService", "accept", "find", "events")),
  // The run service itself checks the webhooks.
  webhooks: (value) => value as ServiceOptions["webhooks"],
  authenticate: optional(functionOption<NonNullable<ServiceOptions["authenticate"]>>()),
  runOptions: optional(functionOption<NonNullable<ServiceOptions["runOptions"]>>()),
  mayAnswer: optional(functionOption<NonNullable<ServiceOptions["mayAnswer"]>>()),
  bodyUserId: optional(oneOf("trusted", "unverified"), "unverified"),
  limits: optional(runLimitsOption),
  genericApiKeyHeader: optional(booleanOption, true),
  ...requestSourceOptions,
  trustAddresses: optional(
    customOption<NonNullable<ServiceOptions["trustAddresses"]>>("true, false or a function", (value) => {
      return typeof value === "boolean" || typeof value === "function";
    }),
    false,
  ),
  maxBodyBytes: optional(integerOption(1)),
  onDisconnect: optional(oneOf("cancel", "continue"), "cancel"),
  resumeMs: optional(timeoutOption, 60_000),
  heartbeatMs: optional(timeoutOption, 8000),
  telemetry: optional(telemetryOption),
  logger: optional(loggerOption),
} satisfies OptionTable<ServiceOptions>;

/** The checked options of a service, with defaults. */
export type ServiceRules = Readonly<OptionsOf<typeof serviceOptions>> & { readonly logger: Logger };

/** The names of the options of a service. Short forms such as `createAgentRouter` accept these besides their own. */
export const serviceOptionNames = Object.keys(serviceOptions) as readonly (keyof ServiceOptions)[];

/**
 * Checks the names of the options of a short form, such as `createAgentRouter`: the options of a service, and the
 * options of the short form itself. Throws `invalid_config` for an unknown name, and for options that are not an
 * object. `owner` is the function that received the options, for errors.
 */
export function checkShortFormOptions(options: unknown, ownNames: readonly string[], owner: string): void {
  if (!isRecord(options)) throw wrongOption(`The options of ${owner}`, "an object", options);
  const own = Object.fromEntries(ownNames.map((name) => [name, true]));
  checkOptionNames({ ...serviceOptions, ...own }, options, { owner });
}

/**
 * Checks the options of a service and fills in their defaults. Throws `invalid_config` for a wrong or unknown option,
 * and for an option without an effect. `owner` is the function that received the options, for errors.
 */
export function readServiceRules(options: ServiceOptions, owner: string): ServiceRules {
  const read = readOptions(serviceOptions, options, { owner });
  checkStorages(read);
  checkSchedules(read);
  const { logger = createLogger({ level: "warn", prefix: "service" }) } = read;
  if (options.durable !== true || read.storage instanceof InMemoryStorage) return { ...read, logger };
  // `durable: true` provides no secrets, so callers' keys must not reach a storage that outlives the process.
  return { ...read, logger, durable: { perform: true, sealKeys: false } };
}

/** Throws `invalid_config` for an option without an effect, and for durable runs without a storage. */
function checkStorages({ durable, runs, storage, webhooks }: GivenStorages & ReadDurable): void {
  if (durable !== undefined && runs !== undefined) {
    throw wrong("durable makes a run service, and runs is one. Give one of the two.");
  }
  checkWebhooks({ durable, runs, webhooks });
  if (durable !== undefined && durable.storage === undefined && storage === undefined) {
    throw wrong("durable needs a storage that outlives the process. Give storage, or durable: { storage }.");
  }
  if (storage !== undefined && (durable === undefined || durable.storage !== undefined)) {
    throw wrong("storage has no effect here: it holds durable runs. Set durable: true, or leave storage out.");
  }
}

/**
 * Throws `invalid_config` for schedules without durable runs, and for a limit that the given run service determines.
 */
function checkSchedules({ schedules, durable, runs }: Pick<ServiceRules, "schedules" | "durable" | "runs">): void {
  if (schedules === undefined) return;
  if (durable === undefined && runs === undefined) {
    throw wrong("schedules begin durable runs. Set durable: true, or give runs.");
  }
  if (runs !== undefined && schedules.maxPerUser !== undefined) {
    throw wrong(
      "schedules.maxPerUser has no effect with runs. Give it as admission: { schedulesPerUser } of the RunService.",
    );
  }
}

/** Throws `invalid_config` for webhooks of runs that are not durable, or that another run service performs. */
function checkWebhooks({ durable, runs, webhooks }: GivenStorages & ReadDurable): void {
  if (webhooks === undefined || durable !== undefined) return;
  if (runs !== undefined) throw wrong("webhooks has no effect beside runs. Give webhooks to the RunService.");
  throw wrong("webhooks report durable runs. Set durable: true with a storage, or leave webhooks out.");
}

type GivenStorages = Pick<ServiceOptions, "runs" | "storage" | "webhooks">;
type ReadDurable = { readonly durable?: DurableOptions | undefined };

function wrong(message: string): TroupeError {
  return new TroupeError("invalid_config", message);
}
