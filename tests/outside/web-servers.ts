import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createHandler, createRouter } from "@troupe/core/service";
import { haveFrameworks, hosts, installFrameworks } from "@troupe-internal/web-servers";
import type { Host, NodeApp } from "@troupe-internal/web-servers";
import { MissingServer } from "../../tools/services/service.ts";
import { checkServer } from "./check-server.ts";
import { makeChecked } from "./checked-service.ts";
import type { VisitResult } from "./visit.ts";
import { WatchedVendor } from "./watched-vendor.ts";

/** Ensures that the frameworks are installed; throws `MissingServer` if they are not and may not be. */
export function needWebServers(mayInstall: boolean): void {
  if (haveFrameworks()) return;
  if (!mayInstall) throw new MissingServer("pass --install to have the web servers installed");
  try {
    installFrameworks();
  } catch {
    throw new MissingServer("the web servers could not be installed with npm");
  }
}

/** Mounts the checked service on a server. */
async function mount(host: Host, vendor: string): Promise<NodeApp> {
  const { service, protocols } = makeChecked(vendor);
  const around = { at: "/", before: [], behind: [] };
  if (host.kind === "node") return await host.mount({ ...around, handler: createRouter(service, protocols) });
  const answer = createHandler(service, protocols);
  return await host.mount({ ...around, handler: async (request) => await answer(request) });
}

/** Serves the checked service on each server, and checks every subject of HTTP on it. */
export async function visitOnWebServers(): Promise<VisitResult> {
  const [faults, remarks]: [string[], string[]] = [[], []];
  let cases = 0;
  for (const [name, host] of Object.entries(hosts)) {
    const vendor = await WatchedVendor.listen();
    const server = createServer(await mount(host, vendor.url)).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const found = await checkServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, vendor);
      cases += found.cases;
      faults.push(...found.faults.map((fault) => `${name}: ${fault}`));
      remarks.push(
        `${name}: ${found.cases} cases, ${found.faults.length} faults; a client that leaves ends the model's call after ${found.leftMs} ms (median of 10); ${found.passedMegabytes} of 200 MB pass a stopped reader`,
      );
    } finally {
      stop(server);
      vendor.close();
    }
  }
  return { cases, faults, remarks };
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}
