import { A2AError, wrongParam } from "../wire/a2a-error.ts";
import type { A2AOperation } from "../wire/call.ts";

/** A path of the binding: what its methods do, and the parameters that its query may have. */
type RestRoute = {
  readonly path: RegExp;
  readonly tenantPath: RegExp;
  readonly methods: Readonly<Record<string, A2AOperation>>;
  readonly query: readonly string[];
};

/** An operation that a path names, with the parameters in the path and the names of those that its query may have. */
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

/** All paths of A2A 1.0. A colon is that of a verb: in an id it is percent-encoded. */
const routes: readonly RestRoute[] = [
  route("message:send", { POST: "send" }),
  route("message:stream", { POST: "stream" }),
  route("tasks", { GET: "list" }, listQuery),
  route("tasks/{id}:cancel", { POST: "cancel" }),
  // The definition of the protocol has GET, and its document POST.
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
 * Finds the operation of a path, which may begin with a tenant, and of an HTTP method. Throws `method-not-found` for an unknown
 * path, and for another method than those of the path, which `allow` then lists.
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

/** The paths at which a server has the binding: `rest` below its endpoint and below that of each agent. */
export class RestPaths {
  /** Every path that belongs to the binding. It captures nothing: what is wrong in a path is answered by the binding. */
  readonly all: RegExp;
  readonly #parts: RegExp;

  constructor(basePath: string) {
    const base = basePath === "/" ? "" : basePath.replaceAll(".", String.raw`\.`);
    this.all = new RegExp(`^${base}(?:/agents/[^/]+)?/rest(?:/.*)?$`);
    this.#parts = new RegExp(`^${base}(?:/agents/(?<agent>[^/]+))?/rest(?:/(?<path>.*?)/?)?$`);
  }

  /** Returns the agent in a path, and what comes below `rest`, without a slash at its end. */
  read(path: string): { agent: string | undefined; path: string } {
    const { agent, path: below = "" } = this.#parts.exec(path)?.groups ?? {};
    return { agent: agent === undefined ? undefined : (decodeSegment(agent) ?? agent), path: below };
  }
}
