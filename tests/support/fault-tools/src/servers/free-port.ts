import { once } from "node:events";
import { createServer } from "node:net";
import { threadId } from "node:worker_threads";

/**
 * The ports to choose from. Systems give higher ones to those who ask for any port, so that nobody gets one of these between
 * its choice and its use.
 */
const [lowest, count] = [10_000, 20_000];
/** The place among these ports at which the next search begins: another one in each process and thread. */
let next = (process.pid * 97 + threadId * 7919) % count;

/** Returns a local port that is free, and that stays free until it is used: also for a server that ends and begins again. */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (let tried = 0; tried < count; tried++) {
    const port = lowest + next;
    next = (next + 1) % count;
    if (await isFree(port, host)) return port;
  }
  throw new Error(`No port of ${host} from ${lowest} to ${lowest + count - 1} is free.`);
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}
