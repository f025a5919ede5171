import { A2AError, wrongParam } from "../wire/a2a-error.ts";
import type { A2AOperation } from "../wire/call.ts";

/** A path of the HTTP+JSON binding: the operation of each HTTP method, and the query parameters that it accepts. */
type RestRoute = {
  readonly path: RegExp;
  readonly tenantPath: RegExp;
  readonly methods: Readonly<Record<string, A2AOperation>>;
  readonly query: readonly string[];
};

/** The operation of a path, with the parameters in the path and the names of the accepted query parameters. */
export type FoundRoute = {
  readonly operation: A2AOperation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly string[];
};

const listQuery = [
  "contextId",
  "status",
  "pageSize",
  "pageToken",
  "historyLength",
  "statusTimestampAfter",
  "includeArtifacts",
];

/** All paths of the HTTP+JSON binding of A2A 1.0. A colon starts a verb; inside an id it is percent-encoded. */
const routes: readonly RestRoute[] = [
  route("message:send", { POST: "send" }),
  route("message:stream", { POST: "stream" }),
  route("tasks", { GET: "list" }, listQuery),
  route("tasks/{id}:cancel", { POST: "cancel" }),
  // For subscribing, A2A's definition file has GET, and its documentation has POST.
  route("tasks/{id}:subscribe", { GET: "subscribe", POST: "subscribe" }),
  route("tasks/{id}", { GET: "get" }, ["historyLength"]),
  route("tasks/{taskId}/pushNotificationConfigs", { GET: "list-push", POST: "set-push" }, ["pageSize", "pageToken"]),
  route("tasks/{taskId}/pushNotificationConfigs/{id}", { GET: "get-push", DELETE: "delete-push" }),
  route("extendedAgentCard", { GET: "extended-card" }),
];

function route(template: string, methods: RestRoute["methods"], query: readonly string[] = []): RestRoute {
  const path = template.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/:]+)");
  return {
    path: new RegExp(`^${path}$`),
    tenantPath: new RegExp(`^(?<tenant>[^/:]+)/${path}$`),
    methods,
    query: ["tenant", ...query],
  };
}

/**
 * Finds the operation of an HTTP method and a path, which may begin with a tenant. Throws `method-not-found` for an
 * unknown path, and for a method that the path does not have; `allow` then lists its methods. Throws `invalid-params`
 * for wrong percent-encoding.
 */
export function findRoute(method: string, path: string): FoundRoute {
  const found = match(path, "path") ?? match(path, "tenantPath");
  if (found === undefined) throw new A2AError("method-not-found", "This path is not one of A2A 1.0.");
  const { methods, query } = found.route;
  const operation = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (operation !== undefined) return { operation, params: decode(found.params), query };
  const allow = Object.keys(methods).join(", ");
  throw new A2AError("method-not-found", `This path takes another HTTP method: ${allow}.`, { allow });
}

function match(path: string, form: "path" | "tenantPath") {
  for (const each of routes) {
    const found = each[form].exec(path);
    if (found !== null) return { route: each, params: { ...found.groups } };
  }
  return undefined;
}

function decode(params: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(params).map(([name, text]) => {
    const decoded = decodeSegment(text);
    if (decoded === undefined) throw wrongParam(`params.${name}`, "percent-encoded UTF-8");
    return [name, decoded] as const;
  });
  return Object.fromEntries(entries);
}

function decodeSegment(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the part of a path below a root, without slashes around it. The root is a path pattern, and each of its
 * segments matches one segment of the path.
 */
export function pathBelow(path: string, root: string): string {
  const below = path.split("/").slice(root.split("/").length).join("/");
  return below.endsWith("/") ? below.slice(0, -1) : below;
}
