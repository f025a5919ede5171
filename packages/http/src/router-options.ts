import type { Logger, Runnable } from "@troupe/core";
import type { Registry } from "@troupe/core/adapter";
import type { RequestHandler } from "express";
import type { DocsOptions, DocsSettings } from "./docs/docs-options.ts";
import type { ActiveRuns } from "./runs/active-runs.ts";
import type { ServedWorkflow } from "./served-workflow.ts";
import type { ServedSessions } from "./sessions/served-sessions.ts";
import type { Shutdown } from "./shutdown/create-shutdown.ts";
import type { FileUploadOptions } from "./uploads/upload-options.ts";
import type { Uploads } from "./uploads/uploads.ts";

/** What a run does when its client leaves before the answer: it ends as cancelled, or goes on to its end. */
export type OnDisconnect = "cancel" | "continue";

/** What the router serves, and how. */
export type RouterOptions = {
  /** Agents by the names that stand in the paths. */
  agents?: Registry<Runnable>;
  /** Teams by the names that stand in the paths. */
  teams?: Registry<Runnable>;
  /** Workflows by the names that stand in the paths. */
  workflows?: Registry<ServedWorkflow>;
  /** Handlers that see every request first. */
  middleware?: readonly RequestHandler[];
  /** Serves a page that shows what there is and lets it be tried, and its description in OpenAPI. @default no docs */
  swagger?: DocsOptions;
  /** What becomes of a run whose client leaves. @default "cancel" */
  onDisconnect?: OnDisconnect;
  /** `false` leaves the header `x-api-key` to the host's own authentication. @default true */
  genericApiKeyHeader?: boolean;
  /** The longest JSON body. @default 1_048_576 */
  maxBodyBytes?: number;
  /** Whether agents and teams take forms with files (`multipart/form-data`), and of what size. @default false */
  fileUpload?: boolean | FileUploadOptions;
  /** How often a stream without chunks shows that it is alive. @default 15_000 */
  heartbeatMs?: number;
  /** The shutdown that this router's runs are a part of: see `createShutdown`. */
  shutdown?: Shutdown;
  /** Hears of failures of the service itself. @default warnings and errors, on the standard error stream */
  logger?: Logger;
};

/** The options of a router when all is settled. */
export type RouterSettings = {
  readonly agents: ReadonlyMap<string, Runnable>;
  readonly teams: ReadonlyMap<string, Runnable>;
  readonly workflows: ReadonlyMap<string, ServedWorkflow>;
  readonly middleware: readonly RequestHandler[];
  /** How the docs are served, if they are. */
  readonly docs: DocsSettings | undefined;
  readonly onDisconnect: OnDisconnect;
  readonly genericApiKeyHeader: boolean;
  readonly maxBodyBytes: number;
  /** Nothing when forms are not taken. */
  readonly uploads: Uploads | undefined;
  readonly heartbeatMs: number;
  readonly logger: Logger;
  /** The runs that this router has begun and that are not over. */
  readonly runs: ActiveRuns;
  readonly sessions: ServedSessions;
};
