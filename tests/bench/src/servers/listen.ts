import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port and reports it to the harness. Ends with the harness. `backlog`: connections that may wait. */
export function listen(server: Server, { backlog = 511 } = {}): void {
  server.keepAliveTimeout = 60_000;
  // Beside other work, a request of thousands may be read only after the minute within which Node wants its headers.
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  const tell = () => process.send?.({ port: (server.address() as AddressInfo).port });
  server.listen({ port: 0, host: "127.0.0.1", backlog }, tell);
  process.on("disconnect", () => process.exit());
}

/** Returns the URL of the mock vendor. */
export function vendorUrl(): string {
  const url = process.env["BENCH_VENDOR_URL"];
  if (url === undefined)
    throw new Error("BENCH_VENDOR_URL must be set. The harness sets it for the servers it starts.");
  return url;
}
