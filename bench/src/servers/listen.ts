import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port and tells the harness which; ends when the harness does. `backlog` may wait to be accepted. */
export function listen(server: Server, { backlog = 511 } = {}): void {
  server.keepAliveTimeout = 60_000;
  const tell = () => process.send?.({ port: (server.address() as AddressInfo).port });
  server.listen({ port: 0, host: "127.0.0.1", backlog }, tell);
  process.on("disconnect", () => process.exit());
}

/** The address of the mock vendor, as the harness names it. */
export function vendorUrl(): string {
  const url = process.env["BENCH_VENDOR_URL"];
  if (url === undefined) throw new Error("BENCH_VENDOR_URL is not set: servers are started by the harness.");
  return url;
}
