import { createLogger } from "@troupe/core";
import type { Logger, Runnable } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import {
  functionLike,
  integer,
  loggerOption,
  methods,
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/kit";
import { readRunnables, requestSourceOptions } from "@troupe/core/transport";
import type { OptionsOf, OptionTable } from "@troupe/core/kit";
import type { BodyUserId, HostRunOptions, OnDisconnect, Registry, WaitingQuestion } from "@troupe/core/transport";
import type { Server, Socket } from "socket.io";

/** A middleware of a Socket.IO namespace: calls `next()` to let a socket in, and `next(error)` to refuse it. */
export type SocketMiddleware = (socket: Socket, next: (error?: Error) => void) => void | Promise<void>;

/** Options of {@link createAgentGateway}. */
export type GatewayOptions = {
  /** The Socket.IO server, which the host makes, attaches to its HTTP server and closes. */
  io: Pick<Server, "of">;
  /** Agents by the names that clients give. */
  agents?: Registry<Runnable> | undefined;
  /** Teams by the names that clients give. */
  teams?: Registry<Runnable> | undefined;
  /** The namespace of the gateway, which no other code listens on. @default "/service" */
  namespace?: string | undefined;
  /**
   * Origins of pages that may connect, such as `"https://app.example.org"`, beside those of the service itself and those that the
   * option `cors` of the Socket.IO server allows. Programs other than browsers send no origin, and may connect.
   * @default pages of the service itself alone
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * Hosts by which the service may be called, such as `"example.org"`: no page reaches it under a name of its own. A name without
   * a port stands for all ports. @default any
   */
  allowedHosts?: readonly string[] | undefined;
  /** Authenticates each connection. It may set `socket.data.principal` to `{ userId, tenantId? }`. @default all may connect */
  authMiddleware?: SocketMiddleware | undefined;
  /**
   * The service that makes the runs of the agents and teams that it names durable: they outlive their sockets and the process.
   * The host makes it, and calls its `serve` and `close`.
   */
  runs?: RunService | undefined;
  /**
   * Returns true if the client of a socket may answer a question of a durable run that is another user's, such as an approval.
   * @default only the run's own user may
   */
  mayAnswer?: ((socket: Socket, wait: WaitingQuestion) => boolean | Promise<boolean>) | undefined;
  /**
   * Returns metadata, limits and model options for a run that the client of a socket asks for, such as facts about its user for
   * tools. An error that it throws is the answer.
   */
  runOptions?: ((socket: Socket) => HostRunOptions | undefined | Promise<HostRunOptions | undefined>) | undefined;
  /**
   * `"trusted"` takes the `userId` of a payload without a principal for the user: only where every client is a service of yours
   * that has authenticated that user. `"unverified"` gives such ids a space apart from the users of principals.
   * @default "unverified"
   */
  bodyUserId?: BodyUserId | undefined;
  /** Policy for runs whose socket disconnects. @default "cancel", and "continue" for durable runs and with an idempotencyKey */
  onDisconnect?: OnDisconnect | undefined;
  /** The number of runs that a socket may have under way, or follow, at once. @default 8 */
  maxRunsPerSocket?: number | undefined;
  /** The number of bytes that may wait for a client that does not read, before its socket is dropped. @default 1_048_576 */
  maxBufferedBytes?: number | undefined;
  /**
   * The number of bytes that may be held for all clients together. From half of it on, runs wait for clients to read, and those
   * that have stopped reading are dropped: of the user who holds the most first, all clients without one counting as one.
   * @default 134_217_728
   */
  maxTotalBufferedBytes?: number | undefined;
  /**
   * Milliseconds for which the events of a run that is kept in this process can be read again after its end: one that was
   * requested with an `idempotencyKey`, or outlives its socket. @default 60_000
   */
  resumeMs?: number | undefined;
  /**
   * Receives failures of the service itself, and the warnings of what it serves, unless a logger of theirs has written them.
   * @default warnings and errors, on the standard error stream
   */
  logger?: Logger | undefined;
};

const optionTable = {
  io: methods<Server>("a Socket.IO server (new Server(…) of socket.io)", "of"),
  agents: readRunnables,
  teams: readRunnables,
  namespace: optional(
    satisfying<string>('a path such as "/service"', (value) => typeof value === "string" && value.startsWith("/")),
    "/service",
  ),
  ...requestSourceOptions,
  authMiddleware: optional(functionLike<SocketMiddleware>()),
  runs: optional(methods<RunService>("a RunService", "accept", "find", "events")),
  mayAnswer: optional(functionLike<NonNullable<GatewayOptions["mayAnswer"]>>()),
  runOptions: optional(functionLike<NonNullable<GatewayOptions["runOptions"]>>()),
  bodyUserId: optional(oneOf("trusted", "unverified"), "unverified"),
  onDisconnect: optional(oneOf("cancel", "continue"), "cancel"),
  maxRunsPerSocket: optional(integer(1), 8),
  maxBufferedBytes: optional(integer(1), 1_048_576),
  maxTotalBufferedBytes: optional(integer(1), 134_217_728),
  resumeMs: optional(timeoutMilliseconds, 60_000),
  logger: optional(loggerOption),
} satisfies OptionTable<GatewayOptions>;

/** Checked options of a gateway, with their defaults. */
export type GatewaySettings = OptionsOf<typeof optionTable> & { readonly logger: Logger };

/** Checks the options of a gateway and fills in their defaults. A wrong or unknown one throws `invalid_config`. */
export function readGatewayOptions(options: GatewayOptions): GatewaySettings {
  const read = readOptions(optionTable, options, { owner: "createAgentGateway" });
  return { ...read, logger: read.logger ?? createLogger({ level: "warn", prefix: "socket" }) };
}
