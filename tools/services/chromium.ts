import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@troupe-internal/fault-tools";
import { needDebianPackage } from "./debian-package.ts";
import { findProgram } from "./find-program.ts";
import { startServer, stopServer } from "./own-process.ts";
import type { Service } from "./service.ts";

const program = "chromium";

/** A headless browser that tests control through its debugging port. It opens only pages of the tests. */
export const chromium: Service = {
  name: "chromium",
  variable: "TROUPE_TEST_CHROMIUM_URL",
  start: async ({ mayInstall }) => {
    needDebianPackage({ name: program, isInstalled: () => findProgram(program) !== undefined, mayInstall });
    const [port, profile] = [await freePort(), await mkdtemp(join(tmpdir(), "troupe-chromium-"))];
    // Without its sandbox, which does not start as root, the user in containers.
    const options = ["--headless", "--no-sandbox", `--remote-debugging-port=${port}`, `--user-data-dir=${profile}`];
    const child = await startServer([findProgram(program) ?? program, ...options, "about:blank"], port);
    const stop = async () => {
      await stopServer(child, "SIGTERM");
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    };
    return { url: `http://127.0.0.1:${port}`, stop };
  },
};
