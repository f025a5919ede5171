import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@troupe-internal/fault-tools";
import { startServer, stopServer } from "./own-process.ts";
import { needPythonEnvironment } from "./python-environment.ts";
import type { RunningService, Service } from "./service.ts";

/** Qdrant's engine for Python 3.10 and later, a wheel without dependencies. */
const requirement = "qdrant-edge-py==0.9.0";
const home = join(homedir(), ".cache", "troupe", requirement.replace("==", "-"));
const program = join(import.meta.dirname, "qdrant-edge-server.py");

/**
 * Qdrant: the server in `QDRANT_URL`, else Qdrant's own engine behind a test server, with an empty store in a temporary
 * folder. Qdrant's server is in no package registry.
 */
export const qdrant: Service = {
  name: "qdrant",
  variable: "TROUPE_TEST_QDRANT_URL",
  start: async ({ mayInstall }) => {
    const given = process.env["QDRANT_URL"] ?? "";
    if (given !== "") return { url: given, stop: async () => {} };
    const advice = "pass --install to have Qdrant's engine installed, or name a server in QDRANT_URL";
    const environment = { name: "qdrant: its engine", folder: home, requirements: [requirement] };
    needPythonEnvironment(environment, { mayInstall, advice });
    return await startEngine();
  },
};

async function startEngine(): Promise<RunningService> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "troupe-qdrant-"));
  const child = await startServer([join(home, "bin", "python"), program, String(port), folder], port);
  const stop = async (): Promise<void> => {
    await stopServer(child, "SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}
