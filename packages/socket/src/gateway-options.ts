import { TroupeError } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { functionOption, integerOption, methodsOption, optional, readOptions, customOption } from "@troupe/core/kit";
import type { OptionsOf, OptionTable } from "@troupe/core/kit";
import { serviceOptionNames } from "@troupe/core/transport";
import type { Service } from "@troupe/core/transport";
import type { Server, Socket } from "socket.io";

/** A middleware of a Socket.IO namespace: calls `next()` to accept a socket, and `next(error)` to refuse it. */
export type SocketMiddleware = (socket: Socket, next: (error?: Error) => void) => void | Promise<void>;

/** The options of the gateway itself. */
type OwnOptions = {
  /** The Socket.IO server, which the host creates, attaches to its HTTP server, and closes. */
  io: Pick<Server, "of">;
  /**
   * The service whose agents and teams are run, made by `createService`. The gateway ends with it.
   * @default a service of its own, made of the other options
   */
  service?: Service | undefined;
  /** The namespace of the gateway, which no other code may use. @default "/service" */
  namespace?: string | undefined;
  /**
   * Authenticates each connection, before the service's `authenticate` is called. It may set `socket.data.principal` to
   * `{ userId, tenantId? }`. @default all clients may connect
   */
  authMiddleware?: SocketMiddleware | undefined;
  /** Largest number of runs that a socket may start or follow at the same time. @default 8 */
  maxRunsPerSocket?: number | undefined;
  /** Bytes that may wait for a client that does not read. Beyond them, its socket is dropped. @default 1_048_576 */
  maxBufferedBytes?: number | undefined;
  /**
   * Bytes that may be held for all clients together. Beyond half of them, runs wait for clients to read, and clients
   * that have stopped reading are dropped. The clients of the user with the most held bytes are dropped first; all
   * clients without a user count as one user. @default 134_217_728
   */
  maxTotalBufferedBytes?: number | undefined;
};

/**
 * Options of {@link createAgentGateway}: the options of the gateway, and either a `service` or the options of a
 * service, such as `agents` and `teams`.
 */
export type GatewayOptions = OwnOptions & ServiceOptions;

const ownOptions = {
  io: methodsOption<Server>("a Socket.IO server (new Server(…) of socket.io)", "of"),
  service: optional(methodsOption<Service>("a service (createService(…))", "open", "authenticate", "close")),
  namespace: optional(
    customOption<string>('a path such as "/service"', (value) => typeof value === "string" && value.startsWith("/")),
    "/service",
  ),
  authMiddleware: optional(functionOption<SocketMiddleware>()),
  maxRunsPerSocket: optional(integerOption(1), 8),
  maxBufferedBytes: optional(integerOption(1), 1_048_576),
  maxTotalBufferedBytes: optional(integerOption(1), 134_217_728),
} satisfies OptionTable<OwnOptions>;

/** The options of a service, which `createService` checks. */
const sharedOptions = Object.fromEntries(serviceOptionNames.map((name) => [name, (value: unknown) => value]));

/** The checked options of a gateway, with defaults. */
export type GatewaySettings = Omit<OptionsOf<typeof ownOptions>, "service"> & {
  readonly service: Service;
  /** True if the service was made for the gateway. */
  readonly ownsService: boolean;
};

/**
 * Checks the options of a gateway and fills in their defaults. Throws `invalid_config` for a wrong or unknown option,
 * and for an option of a service beside `service`.
 */
export function readGatewayOptions(options: GatewayOptions): GatewaySettings {
  const owner = "createAgentGateway";
  const given = readOptions({ ...ownOptions, ...sharedOptions }, options, { owner });
  const isShared = ([name]: [string, unknown]): boolean => Object.hasOwn(sharedOptions, name);
  const shared = Object.fromEntries(Object.entries(given).filter(isShared));
  const { service, ...own } = given as OptionsOf<typeof ownOptions>;
  const [name] = Object.keys(shared);
  if (service === undefined) return { ...own, service: createService(shared, owner), ownsService: true };
  if (name === undefined) return { ...own, service, ownsService: false };
  const message = `${name} is an option of the service. Give it to createService, or leave service out.`;
  throw new TroupeError("invalid_config", message);
}
