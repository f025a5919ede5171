import type * as BullMq from "bullmq";
import type { Redis } from "ioredis";
import type { Backend } from "./backend.ts";
import type { EngineSettings } from "./bullmq-options.ts";

/** Longest pause before a lost connection is opened again, in milliseconds. */
const longestPauseMs = 1000;
/**
 * Milliseconds that a server has to close its side of an ended connection. ioredis keeps the process alive for this
 * time if the connection was already lost.
 */
const partMs = 200;

/** Connects BullMQ to Redis. Only the settings of a given client are used. */
export async function openRedis(
  { redis, prefix }: EngineSettings,
  library: typeof BullMq,
  onError: (error: unknown) => void,
): Promise<Backend> {
  // Commands wait for the connection without limit, because BullMQ's workers need that. The engine limits the wait of
  // other commands.
  const options = {
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    disconnectTimeout: partMs,
    retryStrategy: (times: number) => Math.min(times * 50, longestPauseMs),
  };
  const client = typeof redis === "string" ? await connect(redis, options) : (redis?.duplicate(options) as Redis);
  client.on("error", onError);
  const clients = collectDuplicates(client);
  const connection = client as unknown as BullMq.ConnectionOptions;
  return {
    makeQueue: (name) => new library.Queue(name, { connection, prefix }),
    makeWorker: (name, process, given) => new library.Worker(name, process, { ...given, connection, prefix }),
    end: async () => {
      for (const one of clients) endClient(one);
    },
  };
}

async function connect(address: string, options: object): Promise<Redis> {
  const { Redis: Client } = await import("ioredis");
  return new Client(address, options);
}

/**
 * Returns a set with the client and all its later duplicates: each BullMQ worker waits for jobs with a duplicate of its
 * own.
 */
function collectDuplicates(client: Redis): ReadonlySet<Redis> {
  const clients = new Set([client]);
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (override) => {
    const copy = duplicate(override);
    clients.add(copy);
    return copy;
  };
  return clients;
}

/** Closes a connection to Redis, and fails the commands that wait for it. */
function endClient(client: Redis): void {
  // BullMQ has already ended the clients of its workers. Ending a client again would wait for a server that has already
  // closed the connection.
  if (client.status === "end") return;
  client.disconnect();
  if (client.status !== "reconnecting") return;
  // Between two connection attempts, `disconnect` fails no commands, and BullMQ's workers would wait for their commands
  // forever.
  void client.connect().catch(() => undefined);
  client.disconnect();
}
