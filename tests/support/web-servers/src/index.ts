import type { Host } from "./host.ts";
import { nodeHosts } from "./node-hosts.ts";
import { webHosts } from "./web-hosts.ts";

export { haveFrameworks, installFrameworks } from "./frameworks.ts";
export type { ErrorHandler, Host, NodeApp, NodeHandler, WebAnswer } from "./host.ts";

/** The name of a server on which a service can be mounted. */
export type HostName = keyof typeof nodeHosts | keyof typeof webHosts;

/** The servers on which a service can be mounted. All but `node` and `fetch` must be installed first. */
export const hosts: Readonly<Record<HostName, Host>> = { ...nodeHosts, ...webHosts };
