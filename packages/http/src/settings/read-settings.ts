import {
  anyBoolean,
  arrayOf,
  functionLike,
  integer,
  loggerOption,
  methods,
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
  wrongOption,
} from "@troupe/core/kit";
import { readRunnables, readWorkflows, requestSourceOptions, ServedRuns } from "@troupe/core/transport";
import type { OptionContext } from "@troupe/core/transport";
import type { OptionTable } from "@troupe/core/kit";
import type { RunService } from "@troupe/core/runs";
import type { RequestHandler } from "express";
import { createServiceLogger } from "../log/service-logger.ts";
import { ServedSessions } from "../sessions/served-sessions.ts";
import { Shutdown } from "../shutdown/shutdown.ts";
import { readUploadOptions } from "../uploads/upload-options.ts";
import type { UploadRules } from "../uploads/upload-options.ts";
import { UploadReader } from "../uploads/upload-reader.ts";
import { readDocsOptions } from "./docs-options.ts";
import type { MayAnswer, RouterOptions, RouterSettings, UiOptions } from "./router-options.ts";
import type { ReadRunOptions } from "./run-options.ts";

const where: OptionContext = { owner: "createAgentRouter" };

const defaultBodyBytes = 1_048_576;

const routerOptions = {
  agents: readRunnables,
  teams: readRunnables,
  workflows: readWorkflows,
  middleware: optional(arrayOf("request handlers", functionLike<RequestHandler>()), []),
  swagger: optional((value, path) => readDocsOptions(value, { path })),
  runs: optional(methods<RunService>("a RunService", "accept", "find", "events")),
  mayAnswer: optional(functionLike<MayAnswer>()),
  resumeMs: optional(timeoutMilliseconds, 60_000),
  onDisconnect: optional(oneOf("cancel", "continue"), "cancel"),
  ui: readUi,
  bodyUserId: optional(oneOf("trusted", "unverified"), "unverified"),
  ...requestSourceOptions,
  trustAddresses: optional(anyBoolean, false),
  genericApiKeyHeader: optional(anyBoolean, true),
  maxBodyBytes: optional(integer(1)),
  fileUpload: readFileUpload,
  runOptions: optional(functionLike<ReadRunOptions>()),
  heartbeatMs: optional(timeoutMilliseconds, 15_000),
  shutdown: optional(satisfying<Shutdown>("what createShutdown() returns", (value) => value instanceof Shutdown)),
  logger: optional(loggerOption),
} satisfies OptionTable<RouterOptions>;

/**
 * Checks the options of `createAgentRouter`, fills in their defaults and makes the objects that the router needs. A
 * wrong or unknown option throws `invalid_config`.
 */
export function readSettings(options: RouterOptions): RouterSettings {
  const { swagger, fileUpload, maxBodyBytes, runs, resumeMs, ...read } = readOptions(routerOptions, options, where);
  const { agents, teams, workflows, logger = createServiceLogger() } = read;
  return {
    ...read,
    logger,
    maxBodyBytes: maxBodyBytes ?? defaultBodyBytes,
    ui: read.ui,
    docs: swagger?.enabled === true ? swagger : undefined,
    uploads:
      fileUpload === false
        ? undefined
        : new UploadReader(fileUpload, maxBodyBytes === undefined ? defaultBodyBytes : undefined),
    servedRuns: new ServedRuns({ agents, teams, workflows }, { durable: runs, resumeMs, logger }),
    sessions: new ServedSessions([...agents.values(), ...teams.values()]),
  };
}

const uiOptions = { onDisconnect: optional(oneOf("cancel", "continue")) } satisfies OptionTable<UiOptions>;

/** Takes `true` for the defaults, `false` for no streams, or options. */
function readUi(value: unknown, path: string): UiOptions | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return {};
  if (typeof value === "object" && value !== null) return readOptions(uiOptions, value, { path });
  throw wrongOption(path, "true, false or its options", value);
}

/** Takes `true` for the default limits, `false` for no uploads, or limits. */
function readFileUpload(value: unknown, path: string): UploadRules | false {
  if (value === undefined || value === false) return false;
  if (value === true) return readUploadOptions({}, { path });
  if (typeof value === "object" && value !== null) return readUploadOptions(value, { path });
  throw wrongOption(path, "true, false or its options", value);
}
