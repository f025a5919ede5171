import type { Server } from "node:http";
import { createLogger, TroupeError } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import type { Shutdown } from "@troupe/http";
import { createAgentGateway } from "@troupe/socket";
import type { SocketMiddleware } from "@troupe/socket";
import { createAdapter } from "@socket.io/redis-streams-adapter";
import { createClient } from "redis";
import { Server as SocketServer } from "socket.io";
import type { ServerOptions } from "socket.io";
import type { Demo } from "./demo.ts";
import { principalOf } from "./demo-users.ts";
import type { ServerAddress } from "./read-stores.ts";

/** A connection of several servers of the demo to each other, for Socket.IO. */
export type SocketNodes = { readonly adapter: ServerOptions["adapter"]; readonly close: () => Promise<void> };

/** Connects this server to others through Redis. Waits two seconds at most. */
export async function joinNodes({ url, shown }: ServerAddress): Promise<SocketNodes> {
  const client = createRedisClient(url);
  const logger = createLogger({ level: "warn", prefix: "redis" });
  let isReady = false;
  // Until it has connected once, the failure is thrown. Later it connects anew by itself.
  client.on("error", (error: Error) => isReady && logger.warn(error.message || error.name));
  try {
    await Promise.race([client.connect(), firstError(client)]);
  } catch (error) {
    client.destroy();
    const reason = (error as Error).message || (error as Error).name;
    const sentence = `Cannot reach Redis at ${shown}. Start that server, or unset REDIS_URL to run alone. (${reason})`;
    throw new TroupeError("unavailable", sentence, { cause: error });
  }
  isReady = true;
  return {
    adapter: createAdapter(client, { streamName: "troupe-demo" }),
    close: async () => await client.close(),
  };
}

/** Creates the client. A URL that it does not take is refused without showing it, and without the cause, which holds it. */
function createRedisClient(url: string) {
  try {
    return createClient({ url, socket: { connectTimeout: 2000 } });
  } catch {
    const sentence =
      "REDIS_URL cannot be read. Expected one such as redis://user:password@localhost:6379/0, with user and password percent-encoded.";
    throw new TroupeError("invalid_config", sentence);
  }
}

async function firstError(client: ReturnType<typeof createRedisClient>): Promise<never> {
  return await new Promise((_, reject) => void client.once("error", reject));
}

/** The runs that outlive the server, its orderly end, the hosts by which it may be called, and other servers. */
export type SocketServing = {
  readonly runs: RunService;
  readonly shutdown: Shutdown;
  readonly allowedHosts: readonly string[];
  readonly nodes?: SocketNodes | undefined;
};

/**
 * Serves the demo over Socket.IO too, on the HTTP server of the demo. Call it before the server is attached to the shutdown, which
 * then knows the requests of Socket.IO as well.
 */
export function serveSockets(server: Server, demo: Demo, serving: SocketServing): SocketServer {
  const { runs, shutdown, allowedHosts, nodes } = serving;
  const io = new SocketServer(server, { ...(nodes && { adapter: nodes.adapter }) });
  const { agents, teams } = demo;
  shutdown.add(createAgentGateway({ io, agents, teams, runs, allowedHosts, authMiddleware: trustUserOfAuth }));
  return io;
}

/** Takes the user that the handshake names in `auth.user`, without a check of the sender. A real service authenticates here. */
const trustUserOfAuth: SocketMiddleware = ({ data, handshake }, next) => {
  const { user } = handshake.auth as { user?: unknown };
  if (user !== undefined) Object.assign(data as object, { principal: principalOf(user, "auth.user of the handshake") });
  next();
};
