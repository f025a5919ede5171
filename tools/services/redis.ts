import { freePort, startServer, stopServer } from "./own-process.ts";
import type { Service } from "./service.ts";

/** Redis in memory only. */
export const redis: Service = {
  variable: "TROUPE_TEST_REDIS_URL",
  program: "redis-server",
  debianPackage: "redis-server",
  start: async (program) => {
    const port = await freePort();
    const options = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "no"];
    const child = await startServer([program, ...options], port);
    return { url: `redis://127.0.0.1:${port}`, stop: () => stopServer(child, "SIGTERM") };
  },
};
