import type { Logger } from "@troupe/core";
import {
  functionOption,
  integerOption,
  loggerOption,
  nonBlankString,
  optional,
  readOptions,
  customOption,
} from "@troupe/core/kit";
import type { OptionsOf, OptionTable } from "@troupe/core/kit";
import { TroupeError } from "@troupe/core";

/** A `Pool` of `pg`. Only its settings are used, not its connections. */
export type PostgresPool = { readonly options: object; connect(): Promise<unknown> };

/** A client of `ioredis`. Only its settings are used, not its connection. */
export type RedisClient = { duplicate(override?: Record<string, unknown>): unknown; readonly status: string };

/** Options of a `BullMqEngine`: one of `pool`, `connectionString` and `redis`, and limits. */
export type BullMqEngineOptions = {
  /**
   * A `Pool` of `pg` for the user's PostgreSQL. The engine opens its own connections with the settings of this pool.
   */
  pool?: PostgresPool | undefined;
  /** The address of the user's PostgreSQL: `postgres://user:password@host:port/database`. */
  connectionString?: string | undefined;
  /**
   * The user's Redis: `redis://host:port`, or a client of `ioredis`, whose settings the engine's own connections use.
   */
  redis?: string | RedisClient | undefined;
  /**
   * The name of the queue. Engines with the same name share their jobs, so each service needs its own. @default
   * "troupe"
   */
  queue?: string | undefined;
  /** The prefix of the engine's keys in Redis. @default "bull" */
  prefix?: string | undefined;
  /** Largest number of connections to PostgreSQL, at least 3. @default 6 */
  max?: number | undefined;
  /**
   * Milliseconds for which a lock on a job is valid without renewal. A process renews its locks, and checks for expired
   * locks, three times per period. The job of a dead process goes to another process within four thirds of this time.
   * @default 3000
   */
  lockMs?: number | undefined;
  /** Receives failures that no caller sees, such as failures of connections. @default none */
  logger?: Logger | undefined;
  /**
   * Returns the current time in epoch milliseconds, for tests of the clock check. Redis does not need that check.
   * @default Date.now
   */
  now?: (() => number) | undefined;
};

const queueName = customOption<string>(
  "a name of 1 to 100 letters, digits, hyphens and underscores",
  (value) => typeof value === "string" && /^[\w-]{1,100}$/.test(value),
);

const pool = customOption<PostgresPool>("a Pool of pg", (value) => {
  const { options, connect } = (value ?? {}) as Partial<PostgresPool>;
  return typeof options === "object" && options !== null && typeof connect === "function";
});

const redis = customOption<string | RedisClient>(
  "an address such as redis://host:6379, or a client of ioredis",
  (value) => {
    if (typeof value === "string") return /^rediss?:\/\//.test(value);
    return typeof (value as Partial<RedisClient> | null)?.duplicate === "function";
  },
);

const connectionString = customOption<string>(
  "an address such as postgres://user:password@host:5432/database",
  (value) => typeof value === "string" && /^postgres(ql)?:\/\//.test(value),
);

const optionTable = {
  pool: optional(pool),
  connectionString: optional(connectionString),
  redis: optional(redis),
  queue: optional(queueName, "troupe"),
  prefix: optional(nonBlankString(100), "bull"),
  max: optional(integerOption(3), 6),
  lockMs: optional(integerOption(300, 3_600_000), 3000),
  logger: optional(loggerOption),
  now: optional(functionOption<() => number>(), Date.now),
} satisfies OptionTable<BullMqEngineOptions>;

/** The checked options of a `BullMqEngine`, with defaults. */
export type EngineSettings = OptionsOf<typeof optionTable>;

/** Checks the options of a `BullMqEngine`. Throws `invalid_config` for a wrong option. */
export function readEngineOptions(given: BullMqEngineOptions): EngineSettings {
  const options = readOptions(optionTable, given, { owner: "BullMqEngine" });
  const sources = [options.pool, options.connectionString, options.redis].filter((source) => source !== undefined);
  const problem =
    sources.length === 1
      ? findUnused(given)
      : `BullMqEngine needs one database, got ${sources.length}. Pass one of pool, connectionString and redis.`;
  if (problem !== undefined) throw new TroupeError("invalid_config", problem);
  return options;
}

/**
 * Describes an option that has no effect on the given database, or that BullMQ does not support. Undefined if there is
 * none.
 */
function findUnused({ redis: client, prefix, max }: BullMqEngineOptions): string | undefined {
  if (client === undefined) {
    return prefix && "The option prefix of BullMqEngine is for Redis. On PostgreSQL, tell services apart by queue.";
  }
  if (max !== undefined) return "The option max of BullMqEngine is for PostgreSQL. Leave it out with Redis.";
  const { options } = client as { options?: { keyPrefix?: unknown } };
  return options?.keyPrefix
    ? "The client redis of BullMqEngine has a keyPrefix, which BullMQ does not support. Pass one without it, and the prefix to BullMqEngine."
    : undefined;
}
