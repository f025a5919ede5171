import { spawn } from "node:child_process";
import { once } from "node:events";
import { findProgram, installDebianPackage } from "./find-program.ts";
import { postgres } from "./postgres.ts";
import { redis } from "./redis.ts";
import type { RunningService, Service } from "./service.ts";

/**
 * `pnpm test:services`: has every server that tests need, runs those tests, and stops what it started. A server that
 * cannot be had is an error, never a skipped test. `--install` gets missing servers as Debian packages.
 */
const services: readonly Service[] = [postgres, redis];
const mayInstall = process.argv.includes("--install");
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== "--install");

async function have({ variable, program, debianPackage, start }: Service): Promise<RunningService> {
  const given = process.env[variable];
  if (given !== undefined && given !== "") return { url: given, stop: async () => {} };
  if (findProgram(program) === undefined && mayInstall) installDebianPackage(debianPackage);
  const path = findProgram(program);
  if (path !== undefined) return await start(path);
  throw new Error(
    `${program} is missing: install Debian's ${debianPackage}, pass --install to have that done, or name a running server in ${variable}.`,
  );
}

async function runTests(environment: Record<string, string>): Promise<number> {
  const vitest = ["run", "--config", "vitest.workspace.ts", "--project", "services", ...vitestArguments];
  const child = spawn("vitest", vitest, { stdio: "inherit", env: { ...process.env, ...environment } });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

const running: RunningService[] = [];
// Ctrl-C reaches the tests and the servers by themselves; this process stays to clean up after them.
process.on("SIGINT", () => {});
try {
  const environment: Record<string, string> = {};
  for (const service of services) {
    const started = await have(service);
    running.push(started);
    environment[service.variable] = started.url;
    console.log(`${service.program}: ${started.url.replace(/\/\/.*@/, "//")}`);
  }
  process.exitCode = await runTests(environment);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await Promise.all(running.map((service) => service.stop()));
}
