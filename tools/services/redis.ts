import { freePort } from "@troupe-internal/fault-tools";
import { needDebianPackage } from "./debian-package.ts";
import { findProgram } from "./find-program.ts";
import { startServer, stopServer } from "./own-process.ts";
import type { Service } from "./service.ts";

const program = "redis-server";

/** Redis, only in memory. */
export const redis: Service = {
  name: "redis",
  variable: "TROUPE_TEST_REDIS_URL",
  start: async ({ mayInstall }) => {
    needDebianPackage({ name: "redis-server", isInstalled: () => findProgram(program) !== undefined, mayInstall });
    const port = await freePort();
    const options = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "no"];
    const child = await startServer([findProgram(program) ?? program, ...options], port);
    return { url: `redis://127.0.0.1:${port}`, stop: () => stopServer(child, "SIGTERM") };
  },
};
