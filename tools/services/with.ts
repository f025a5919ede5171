import { spawn } from "node:child_process";
import { once } from "node:events";
import { haveServices } from "./have-services.ts";
import { mongodb } from "./mongodb.ts";
import { pgvector } from "./pgvector.ts";
import { postgres } from "./postgres.ts";
import { qdrant } from "./qdrant.ts";
import { redis } from "./redis.ts";

/**
 * `pnpm with:services pgvector,qdrant pnpm bench knowledge`: provides the named servers, runs a command with their
 * addresses in its environment, and stops the servers that it started. Installs missing servers.
 */
const known = [postgres, pgvector, mongodb, qdrant, redis];
const [names = "", program = "", ...rest] = process.argv.slice(2);
const required = names.split(",");
const services = known.filter(({ name }) => required.includes(name));
// Ctrl-C reaches the command directly; this process continues, to clean up after it.
process.on("SIGINT", () => {});
try {
  const { addresses, stop } = await haveServices(services, { environment: process.env, required, mayInstall: true });
  try {
    const child = spawn(program, rest, { stdio: "inherit", env: { ...process.env, ...addresses } });
    const [code] = (await once(child, "exit")) as [number | null];
    process.exitCode = code ?? 1;
  } finally {
    await stop();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
