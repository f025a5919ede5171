import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createDemoServer } from "./create-demo-server.ts";
import { readPort } from "./read-port.ts";

const host = process.env["HOST"] ?? "127.0.0.1";

async function main(): Promise<void> {
  const server = createDemoServer().listen(readPort(process.env["PORT"]), host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  console.log(`Troupe listens on http://${host}:${port} (Ctrl-C stops it)`);

  const stop = () => {
    // A second signal ends the process at once, as it would have without us.
    process.off("SIGINT", stop).off("SIGTERM", stop);
    server.close();
    server.closeIdleConnections();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
