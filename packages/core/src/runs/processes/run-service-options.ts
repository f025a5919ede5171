import {
  arrayOf,
  integerOption,
  methodsOption,
  millisecondsOption,
  nested,
  nonBlankString,
  optional,
  customOption,
  functionOption,
} from "../../base/errors/option-checks.ts";
import { readOptions, wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionsOf, OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createLogger, loggerOption } from "../../base/log/logger.ts";
import type { Logger } from "../../base/log/logger.ts";
import { telemetryOption } from "../../base/telemetry/telemetry.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { Registry } from "../../agents/run/registry.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { defaultMemoryBytes } from "../../base/util/default-memory-bytes.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { Workflow } from "../../agents/workflow/workflow.ts";
import type { RunEngine } from "./run-engine.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { PlannedStep } from "../../agents/workflow/planned-step.ts";
import { noWebhooks, webhooksOption } from "../webhooks/webhook-options.ts";
import type { WebhookOptions, WebhookTarget } from "../webhooks/webhook-options.ts";

/** Limits of the runs that a `RunService` accepts. */
export type AdmissionOptions = {
  /**
   * The maximum number of runs that wait to be performed. The same number limits the open runs of all callers without a
   * verified user, which do not count against users. Once a user has a run, callers without a verified user may use
   * only a tenth of the number.
   * @default 1000
   */
  maxQueued?: number | undefined;
  /**
   * The maximum number of open runs of one user, and of one client's address if the transport knows it for certain.
   * @default 20
   */
  perCaller?: number | undefined;
  /**
   * The maximum bytes of inputs of open runs, for all callers without a verified user together. Once a user has a run,
   * these callers may use only a tenth of the bytes. Inputs of up to 32,768 characters are not counted. @default
   * 268_435_456
   */
  maxAnonymousBytes?: number | undefined;
  /** The maximum number of schedules of one user. @default 20 */
  schedulesPerUser?: number | undefined;
};

/** Limits on the ended runs that a `RunService` keeps: their age, number and bytes. */
export type RetentionOptions = {
  /** Milliseconds for which the events of an ended run can be read. @default 24 hours; without a storage 1 hour */
  logMs?: number | undefined;
  /** Milliseconds for which the result of an ended run can be read. @default 7 days; without a storage 1 hour */
  recordMs?: number | undefined;
  /**
   * Without a storage: the maximum number of ended runs for all users. Callers without a verified user have a limit of
   * their own, as with `maxQueued`. Beyond a limit, the oldest run of the caller with the most runs is removed.
   * @default 1000
   */
  maxEnded?: number | undefined;
  /**
   * Without a storage: the maximum bytes of all users' runs. One user may have a quarter of them. Callers without a
   * verified user have a limit of their own, as with `maxQueued`. Beyond a limit, ended runs are removed as with
   * `maxEnded`. If no ended run is left, a new run is `rate_limited`.
   * @default a quarter of the heap limit, at most 256 MB
   */
  maxBytes?: number | undefined;
  /** Without a storage: the maximum bytes of events for each run. Older events are dropped. @default 1048576 */
  maxBytesPerRun?: number | undefined;
  /**
   * Milliseconds for which a run without a verified user waits for an answer. After that it ends with the error
   * `timeout`.
   * @default 24 hours
   */
  anonymousWaitMs?: number | undefined;
};

/** Options of a `RunService`. */
export type RunServiceOptions = {
  /**
   * The driver that stores the runs. It needs `compareAndSet`. @default in memory: the newest ended runs are kept for
   * an hour
   */
  storage?: StorageDriver | undefined;
  /** The engine that distributes the runs to processes. @default a `LocalEngine`: this process performs them */
  engine?: RunEngine | undefined;
  /** Agents by the names under which their runs are accepted. */
  agents?: Registry<Runnable> | undefined;
  /** Teams by the names under which their runs are accepted. */
  teams?: Registry<Runnable> | undefined;
  /** Workflows by the names under which their runs are accepted. */
  workflows?: Registry<DurableWorkflow> | undefined;
  /** Limits on accepted runs. */
  admission?: AdmissionOptions | undefined;
  /**
   * The name of this process in the `RunView` and the `attempt` events of runs, which callers can read. It has 1 to 100
   * printable characters, such as `worker-2`. Two processes may share a name. @default a random id
   */
  node?: string | undefined;
  /**
   * Secrets of at least 32 characters that encrypt callers' API keys in stored runs. The first secret encrypts; all of
   * them decrypt. Without this option no transport serves a service with a persistent storage. With `false` the service
   * is served, and rejects runs with a caller's key.
   */
  sealKeys?: readonly string[] | false | undefined;
  /** The time for which ended runs and their logs are kept. */
  retention?: RetentionOptions | undefined;
  /**
   * Webhooks that are notified of the ends and waits of all runs: an array of them, or an object with further options.
   * @default none; a run that the program begins with a `webhook` of its own notifies that webhook
   */
  webhooks?: readonly WebhookTarget[] | WebhookOptions | undefined;
  /**
   * Receives failures that no caller sees, such as failures of the clean-up, and reports on waiting runs.
   * @default warnings and errors, on the standard error stream
   */
  logger?: Logger | undefined;
  /**
   * Records traces and metrics of the runs, such as `createTelemetry()` of `@troupe/otel`. The attempts at a run are
   * one trace, in whichever process they are made. @default nothing is recorded
   */
  telemetry?: Telemetry | undefined;
  /** Returns the current time in epoch milliseconds, for tests. @default Date.now */
  now?: (() => number) | undefined;
};

/** A workflow with any type of state. */
export type DurableWorkflow = Pick<Workflow<Record<string, unknown>>, "name" | "stream" | "eventBus">;

/** The agents, teams and workflows of a service. */
export type Registries = {
  readonly agents?: Registry<Runnable>;
  readonly teams?: Registry<Runnable>;
  readonly workflows?: Registry<DurableWorkflow>;
};

/** Options of `RunService.serve`. */
export type RunServeOptions = {
  /** The number of runs that this process performs at a time. @default 100 */
  concurrency?: number | undefined;
};

const registry = <Entry>(what: string) =>
  customOption<Registry<Entry>>(
    `an object or a Map of ${what} by name`,
    (value) => value instanceof Map || isRecord(value),
  );

const sealKey = customOption<string>("a string of 32 characters or more", (value) => {
  return typeof value === "string" && value.length >= 32;
});

const sealKeys: OptionCheck<readonly string[] | false> = (value, name, where) =>
  value === false ? false : arrayOf("secrets", sealKey)(value, name, where);

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

const nodeName: OptionCheck<string> = (value, name, where) => {
  const given = nonBlankString(100)(value, name, where);
  if (!unprintable.test(given)) return given;
  throw wrongOption({ ...where, name }, "a string of 1 to 100 printable characters", value);
};

const defaultAnonymousBytes = 268_435_456;
const defaultSchedules = 20;

const admissionTable = {
  maxQueued: optional(integerOption(1), 1000),
  perCaller: optional(integerOption(1), 20),
  maxAnonymousBytes: optional(integerOption(1024), defaultAnonymousBytes),
  schedulesPerUser: optional(integerOption(0), defaultSchedules),
} satisfies OptionTable<AdmissionOptions>;

const hourMs = 3_600_000;

const retentionTable = {
  logMs: optional(millisecondsOption),
  recordMs: optional(millisecondsOption),
  maxEnded: optional(integerOption(1), 1000),
  maxBytes: optional(integerOption(1024)),
  maxBytesPerRun: optional(integerOption(1024), 1_048_576),
  anonymousWaitMs: optional(millisecondsOption, 24 * hourMs),
} satisfies OptionTable<RetentionOptions>;

const optionTable = {
  storage: optional(methodsOption<StorageDriver>("a storage driver", "get", "set", "delete", "list")),
  engine: optional(methodsOption<RunEngine>("a run engine", "submit", "withdraw", "serve", "waiting", "close")),
  agents: optional(registry<Runnable>("agents")),
  teams: optional(registry<Runnable>("teams")),
  workflows: optional(registry<DurableWorkflow>("workflows")),
  admission: optional(nested(admissionTable), {
    maxQueued: 1000,
    perCaller: 20,
    maxAnonymousBytes: defaultAnonymousBytes,
    schedulesPerUser: defaultSchedules,
  }),
  node: optional(nodeName),
  sealKeys: optional(sealKeys),
  retention: optional(nested(retentionTable), {
    maxEnded: 1000,
    maxBytesPerRun: 1_048_576,
    anonymousWaitMs: 24 * hourMs,
  }),
  webhooks: optional(webhooksOption, noWebhooks),
  logger: optional(loggerOption),
  telemetry: optional(telemetryOption),
  now: optional(functionOption<() => number>(), Date.now),
} satisfies OptionTable<RunServiceOptions>;

const serveTable = { concurrency: optional(integerOption(1), 100) } satisfies OptionTable<RunServeOptions>;

/** The checked options of a `RunService`, with defaults. */
export type ServiceSettings = Omit<OptionsOf<typeof optionTable>, "retention" | "logger"> & {
  readonly retention: Retention;
  readonly logger: Logger;
};

/** The times and sizes of `RetentionOptions`, with their defaults. */
type Retention = { readonly [Name in keyof Required<RetentionOptions>]: number };

/** Checks the options of a `RunService`. A wrong option is `invalid_config`. */
export function readServiceOptions(given: RunServiceOptions): ServiceSettings {
  const options = readOptions(optionTable, given, { owner: "RunService" });
  const { storage } = options;
  if (storage !== undefined && typeof storage.compareAndSet !== "function") {
    throw new TroupeError(
      "invalid_config",
      "The storage of a RunService needs compareAndSet, which this driver does not have. Use storage-sqlite, or leave storage out to keep runs in memory.",
    );
  }
  const lasting =
    storage === undefined ? { logMs: hourMs, recordMs: hourMs } : { logMs: 24 * hourMs, recordMs: 168 * hourMs };
  const { logger = createLogger({ level: "warn", prefix: "runs" }) } = options;
  return { ...options, logger, retention: { ...lasting, maxBytes: defaultMemoryBytes(), ...options.retention } };
}

/** Checks the options of `RunService.serve`. */
export function readServeOptions(given: RunServeOptions): { concurrency: number } {
  return readOptions(serveTable, given, { owner: "serve" });
}

/**
 * Warns about function steps of workflows that do not declare the effect of a repeated call. If the process ends during
 * such a step, the run waits for a person, which its author may not expect.
 */
export function warnOfUnsafeSteps({ workflows }: Registries, logger: Logger): void {
  const entries = workflows instanceof Map ? [...workflows] : Object.entries(workflows ?? {});
  const names = entries.flatMap(([workflow, target]) => functionSteps(target).map((step) => `${workflow}/${step}`));
  if (names.length === 0) return;
  logger.warn(
    `The function steps ${names.join(", ")} have no effect, so a run whose process ends during one waits for an answer. ` +
      'Give each effect: "pure" or "idempotent" to call it again, or "once" to be asked.',
  );
}

function functionSteps(workflow: unknown): string[] {
  const planned = readProperty(workflow, "plannedSteps");
  const steps = (Array.isArray(planned) ? planned : []) as PlannedStep[];
  return steps.flatMap(({ name, kind, effect }) => (kind === "function" && effect === undefined ? [name] : []));
}
