import type { Server } from "node:http";
import { createLogger, TroupeError } from "@troupe/core";
import type { Service } from "@troupe/core/transport";
import { createAgentGateway } from "@troupe/socket";
import { createAdapter } from "@socket.io/redis-streams-adapter";
import { createClient } from "redis";
import { Server as SocketServer } from "socket.io";
import type { ServerOptions } from "socket.io";
import type { ServerAddress } from "./read-stores.ts";

/** A connection between several servers of the demo, for Socket.IO. */
export type SocketNodes = { readonly adapter: ServerOptions["adapter"]; readonly close: () => Promise<void> };

/**
 * Connects this server to other servers through Redis. Throws `unavailable` if Redis does not accept the connection
 * within two seconds.
 */
export async function joinNodes({ url, shown }: ServerAddress): Promise<SocketNodes> {
  const client = createRedisClient(url);
  const logger = createLogger({ level: "warn", prefix: "redis" });
  let isReady = false;
  // Errors are logged only once the client was connected: a failed first connection is thrown instead. A client that
  // loses its connection later reconnects by itself.
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

/** Creates the Redis client. Rejects an invalid URL without showing it, and without the cause, which contains it. */
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

/** Also serves the demo over Socket.IO, on the HTTP server of the demo. `nodes` connects it to other servers. */
export function serveSockets(server: Server, service: Service, nodes: SocketNodes | undefined): SocketServer {
  const io = new SocketServer(server, { ...(nodes && { adapter: nodes.adapter }) });
  createAgentGateway({ service, io });
  return io;
}
