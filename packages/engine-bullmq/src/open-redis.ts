import type * as BullMq from "bullmq";
import type { Redis } from "ioredis";
import type { Backend } from "./backend.ts";
import type { EngineSettings } from "./bullmq-options.ts";

/** The longest pause before a lost connection is made anew. */
const longestPauseMs = 1000;
/**
 * Milliseconds for a server to close its side of a connection that the engine ended. ioredis keeps the process alive for
 * that long where it ends a connection that was lost before.
 */
const partMs = 200;

/** Connects BullMQ with Redis. A given client is only asked for its settings. */
export async function openRedis(
  { redis, prefix }: EngineSettings,
  library: typeof BullMq,
  onError: (error: unknown) => void,
): Promise<Backend> {
  // Commands wait for the connection, as long as it takes: BullMQ's workers need that, and the engine limits the rest.
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

/** Returns the client and, as they come, its duplicates: each worker of BullMQ waits for jobs with one of its own. */
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

/** Closes a connection, and fails the commands that wait for it. */
function endClient(client: Redis): void {
  // BullMQ has ended those of its workers. Ended again, a client waits for its server to close what is closed.
  if (client.status === "end") return;
  client.disconnect();
  if (client.status !== "reconnecting") return;
  // Between two attempts to connect, `disconnect` ends no command: BullMQ's workers would wait for theirs for ever.
  void client.connect().catch(() => undefined);
  client.disconnect();
}
