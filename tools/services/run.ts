import { spawn } from "node:child_process";
import { once } from "node:events";
import { chromium } from "./chromium.ts";
import { haveServices } from "./have-services.ts";
import { mongodb, standaloneMongodb } from "./mongodb.ts";
import { pgbouncer } from "./pgbouncer.ts";
import { pgvector } from "./pgvector.ts";
import { postgres } from "./postgres.ts";
import { qdrant } from "./qdrant.ts";
import { redis } from "./redis.ts";
import type { Service } from "./service.ts";

/**
 * `pnpm test:services`: provides every server that tests need, runs those tests, and stops the servers that it started.
 * A missing server is an error if `REQUIRED_SERVICES` lists it (`postgres,redis`). The tests of any other missing
 * server are skipped, and it is named at the end. `--install` installs missing servers.
 */
const services: readonly Service[] = [
  postgres,
  pgbouncer,
  pgvector,
  mongodb,
  standaloneMongodb,
  qdrant,
  redis,
  chromium,
];
const mayInstall = process.argv.includes("--install");
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== "--install");
const required = (process.env["REQUIRED_SERVICES"] ?? "").split(",").flatMap((name) => name.trim() || []);

async function runTests(addresses: Record<string, string>): Promise<number> {
  const vitest = ["run", "--config", "vitest.workspace.ts", "--project", "services", ...vitestArguments];
  const child = spawn("vitest", vitest, { stdio: "inherit", env: { ...process.env, ...addresses } });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

// Ctrl-C reaches the tests directly; this process continues, to clean up after them.
process.on("SIGINT", () => {});
try {
  const { addresses, missing, stop } = await haveServices(services, {
    environment: process.env,
    required,
    mayInstall,
  });
  for (const { name, variable } of services) console.log(`${name}: ${shown(addresses[variable])}`);
  try {
    process.exitCode = await runTests(addresses);
  } finally {
    await stop();
  }
  for (const { name, advice } of missing) console.log(`Skipped for lack of a server: ${name} (${advice}).`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Formats an address without its credentials. */
function shown(address = ""): string {
  return address === "" ? "missing" : address.replace(/\/\/.*@/, "//");
}
