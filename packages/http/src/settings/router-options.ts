import type { Logger, Runnable } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import type {
  BodyUserId,
  OnDisconnect,
  Registry,
  ServedRuns,
  ServedWorkflow,
  WaitingQuestion,
} from "@troupe/core/transport";
import type { Request, RequestHandler } from "express";
import type { ServedSessions } from "../sessions/served-sessions.ts";
import type { Shutdown } from "../shutdown/shutdown.ts";
import type { FileUploadOptions } from "../uploads/upload-options.ts";
import type { UploadReader } from "../uploads/upload-reader.ts";
import type { DocsOptions, DocsSettings } from "./docs-options.ts";
import type { ReadRunOptions } from "./run-options.ts";

/** The router's option `mayAnswer`: decides whether the sender of a request may answer a question of another user's run. */
export type MayAnswer = (request: Request, wait: WaitingQuestion) => boolean | Promise<boolean>;

/** Options of the streams for `useChat` of the AI SDK. */
export type UiOptions = {
  /**
   * Policy for runs whose page disconnects, as it does when its user presses stop. With `"continue"` a page that is loaded
   * again resumes the stream, and stops a run by `POST /agents/:name/ui/:chatId/stop`. @default that of the router
   */
  onDisconnect?: OnDisconnect | undefined;
};

/** Options of {@link createAgentRouter}. */
export type RouterOptions = {
  /** Agents by their names in the paths. */
  agents?: Registry<Runnable> | undefined;
  /** Teams by their names in the paths. */
  teams?: Registry<Runnable> | undefined;
  /** Workflows by their names in the paths. */
  workflows?: Registry<ServedWorkflow> | undefined;
  /** Handlers that run before the router's own, for every request but `/health` and `/ready`. */
  middleware?: readonly RequestHandler[] | undefined;
  /** Serves an OpenAPI description and a page to try it. @default no docs */
  swagger?: DocsOptions | undefined;
  /**
   * The service that makes the runs of the agents, teams and workflows that it names durable: they outlive their connections and
   * the process. The host makes it, and calls its `serve` and `close`.
   */
  runs?: RunService | undefined;
  /**
   * Returns true if the sender of a request may answer a question of a durable run that is another user's, such as an approval.
   * @default only the run's own user may
   */
  mayAnswer?: MayAnswer | undefined;
  /**
   * Milliseconds for which the events of a run that is kept in this process can be read again after its end: one whose request
   * had an `Idempotency-Key`, or outlives its connection. @default 60_000
   */
  resumeMs?: number | undefined;
  /** Policy for runs whose client disconnects. @default "cancel", and "continue" for durable runs and with an Idempotency-Key */
  onDisconnect?: OnDisconnect | undefined;
  /**
   * Serves each agent and team to `useChat` of the AI SDK too, at `/agents/:name/ui`. `onDisconnect` is the policy for these
   * runs alone. @default false
   */
  ui?: boolean | UiOptions | undefined;
  /**
   * `"trusted"` takes the `userId` of a body without a principal for the user: only where every client is a service of yours
   * that has authenticated that user. `"unverified"` gives such ids a space apart from the users of principals.
   * @default "unverified"
   */
  bodyUserId?: BodyUserId | undefined;
  /**
   * Origins whose pages may send forms, and other requests that browsers send without a CORS preflight, from another site,
   * such as `https://app.example.org`. @default none
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * The names and addresses of this service, by which requests may call it: `"example.org"` on any port,
   * `"example.org:8080"` or `"[::1]"`. @default any
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * `true` says that the remote address of a request is one client's: on Express `request.ip`, which follows `trust proxy`. Callers
   * without a user are then bounded by address too, of which IPv6 addresses of one /64 are one. @default false: they are all one
   */
  trustAddresses?: boolean | undefined;
  /** `false` leaves the header `x-api-key` to the host's own authentication. @default true */
  genericApiKeyHeader?: boolean | undefined;
  /**
   * The maximum size of a JSON body in bytes. Without it, the data of content parts may take as much as `maxTotalSize` of
   * `fileUpload`, if that is set. @default 1_048_576, beside such data
   */
  maxBodyBytes?: number | undefined;
  /** Lets agents and teams take forms with files (`multipart/form-data`), within these limits. @default false */
  fileUpload?: boolean | FileUploadOptions | undefined;
  /** Returns metadata, limits and model options for the run of a request, such as facts about its user for tools. */
  runOptions?: ReadRunOptions | undefined;
  /** Milliseconds between the heartbeats of a stream that has no chunks. @default 15_000 */
  heartbeatMs?: number | undefined;
  /** The shutdown that ends this router's runs: see `createShutdown`. */
  shutdown?: Shutdown | undefined;
  /**
   * Receives failures of the service itself, and the warnings of what it serves, unless a logger of theirs has written them.
   * @default warnings and errors, on the standard error stream
   */
  logger?: Logger | undefined;
};

/**
 * Checked options of a router with their defaults, and the objects made of them (docs, uploads, runs, sessions),
 * which all routes share.
 */
export type RouterSettings = {
  readonly agents: ReadonlyMap<string, Runnable>;
  readonly teams: ReadonlyMap<string, Runnable>;
  readonly workflows: ReadonlyMap<string, ServedWorkflow>;
  readonly middleware: readonly RequestHandler[];
  /** Undefined when no docs are served. */
  readonly docs: DocsSettings | undefined;
  readonly mayAnswer?: MayAnswer;
  readonly onDisconnect: OnDisconnect;
  /** Undefined when no streams for `useChat` are served. */
  readonly ui: UiOptions | undefined;
  readonly bodyUserId: BodyUserId;
  readonly allowedOrigins?: readonly string[];
  readonly allowedHosts?: readonly string[];
  readonly trustAddresses: boolean;
  readonly genericApiKeyHeader: boolean;
  readonly maxBodyBytes: number;
  /** Undefined when forms are not taken. */
  readonly uploads: UploadReader | undefined;
  readonly runOptions?: ReadRunOptions;
  readonly heartbeatMs: number;
  readonly shutdown?: Shutdown;
  readonly logger: Logger;
  /** The runs of the router: plain, kept in this process and durable ones. */
  readonly servedRuns: ServedRuns;
  readonly sessions: ServedSessions;
};
