import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * Lets a server answer on a Unix socket too. On loopback the system buffers four megabytes of a connection before a program
 * meets backpressure; on a Unix socket it is a fifth of a megabyte.
 */
export async function alsoListenOnPath(server: Server): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-http-"));
  const path = join(folder, "socket");
  const second = createServer((request, response) => server.emit("request", request, response)).listen(path);
  await once(second, "listening");
  onTestFinished(() => {
    second.closeAllConnections();
    second.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return path;
}
