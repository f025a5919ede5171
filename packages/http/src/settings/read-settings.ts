import { checkCount, checkDuration, checkOptionNames, wrongOption } from "@troupe/core/adapter";
import type { RequestHandler } from "express";
import { readDocsOptions } from "./docs-options.ts";
import type { DocsOptions, DocsSettings } from "./docs-options.ts";
import { readLogger } from "../log/read-logger.ts";
import { readRunnables, readWorkflows } from "./read-registry.ts";
import type { OnDisconnect, RouterOptions, RouterSettings } from "./router-options.ts";
import { ActiveRuns } from "../shutdown/active-runs.ts";
import { ServedSessions } from "../sessions/served-sessions.ts";
import { Shutdown } from "../shutdown/shutdown.ts";
import { readUploadOptions } from "../uploads/upload-options.ts";
import { Uploads } from "../uploads/uploads.ts";

const optionNames = [
  "agents",
  "teams",
  "workflows",
  "middleware",
  "swagger",
  "onDisconnect",
  "genericApiKeyHeader",
  "maxBodyBytes",
  "fileUpload",
  "heartbeatMs",
  "shutdown",
  "logger",
] as const satisfies (keyof RouterOptions)[];

/** Takes the options of a router and fills in what they leave open; a wrong or unknown one is `invalid_config`. */
export function readSettings(options: RouterOptions): RouterSettings {
  if (typeof options !== "object" || options === null) {
    throw wrongOption("The options of createAgentRouter", "an object", options);
  }
  checkOptionNames(options, optionNames, "createAgentRouter");
  checkShutdown(options.shutdown);
  const agents = readRunnables(options.agents, "agents");
  const teams = readRunnables(options.teams, "teams");
  const { maxBodyBytes = 1_048_576, heartbeatMs = 15_000 } = options;
  return {
    agents,
    teams,
    workflows: readWorkflows(options.workflows),
    middleware: readMiddleware(options.middleware),
    docs: readDocs(options.swagger),
    onDisconnect: readOnDisconnect(options.onDisconnect),
    genericApiKeyHeader: readSwitch(options.genericApiKeyHeader, "genericApiKeyHeader"),
    maxBodyBytes: checkCount(maxBodyBytes, "maxBodyBytes", 1),
    uploads: readUploads(options.fileUpload),
    heartbeatMs: checkBeat(heartbeatMs),
    logger: readLogger(options.logger),
    runs: new ActiveRuns(),
    sessions: new ServedSessions([...agents.values(), ...teams.values()]),
  };
}

function readMiddleware(middleware: unknown = []): readonly RequestHandler[] {
  const isList = Array.isArray(middleware) && middleware.every((handler) => typeof handler === "function");
  if (isList) return [...(middleware as RequestHandler[])];
  throw wrongOption("middleware", "a list of request handlers", middleware);
}

function readDocs(options: DocsOptions | undefined): DocsSettings | undefined {
  const docs = options === undefined ? undefined : readDocsOptions(options);
  return docs?.enabled === true ? docs : undefined;
}

function readOnDisconnect(value: unknown = "cancel"): OnDisconnect {
  if (value === "cancel" || value === "continue") return value;
  throw wrongOption("onDisconnect", '"cancel" or "continue"', value);
}

function readSwitch(value: unknown, option: string): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? true;
  throw wrongOption(option, "true or false", value);
}

function readUploads(value: unknown = false): Uploads | undefined {
  if (value === false) return undefined;
  if (value === true) return new Uploads(readUploadOptions({}, "fileUpload"));
  if (typeof value !== "object" || value === null) throw wrongOption("fileUpload", "true, false or its options", value);
  return new Uploads(readUploadOptions(value, "fileUpload"));
}

function checkShutdown(shutdown: unknown): void {
  if (shutdown === undefined || shutdown instanceof Shutdown) return;
  throw wrongOption("shutdown", "what createShutdown() makes", shutdown);
}

function checkBeat(heartbeatMs: unknown): number {
  checkDuration(heartbeatMs, "heartbeatMs");
  return checkCount(heartbeatMs, "heartbeatMs", 1);
}
