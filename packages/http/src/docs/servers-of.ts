import type { OpenApiServer } from "../openapi/open-api-spec.ts";
import type { DocsSettings } from "./docs-options.ts";

/**
 * Where the service can be reached: where the docs say, or else where the router is mounted. What stands before each path
 * as its prefix already is not said twice.
 */
export function serversOf({ servers, routePrefix }: DocsSettings, mountedAt: string): OpenApiServer[] {
  if (servers !== undefined) return servers.map((server) => ({ ...server }));
  const isPrefix = routePrefix !== "" && mountedAt.endsWith(routePrefix);
  const url = isPrefix ? mountedAt.slice(0, -routePrefix.length) : mountedAt;
  return [{ url: url === "" ? "/" : url }];
}
