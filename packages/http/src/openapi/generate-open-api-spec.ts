import { readDocsOptions } from "../docs/docs-options.ts";
import type { DocsOptions, DocsSettings } from "../docs/docs-options.ts";
import { readSettings } from "../read-settings.ts";
import type { RouterOptions, RouterSettings } from "../router-options.ts";
import { componentsOf } from "./components.ts";
import type { OpenApiPath, OpenApiSpec } from "./open-api-spec.ts";
import { OperationIds } from "./operation-ids.ts";
import { runPaths } from "./run-paths.ts";
import { servicePaths } from "./service-paths.ts";

/**
 * Describes what a router with these options serves, in OpenAPI 3.0.3: the same that such a router publishes. Without
 * other word, the options of its docs count.
 */
export function generateOpenAPISpec(options: RouterOptions = {}, docs?: DocsOptions): OpenApiSpec {
  const settings = readSettings(options);
  return describeService(settings, readDocsOptions(docs ?? options.swagger ?? {}));
}

/** Describes the service of a router. */
export function describeService(settings: RouterSettings, docs: DocsSettings): OpenApiSpec {
  const paths = { ...runPaths(settings, new OperationIds()), ...servicePaths() };
  return {
    openapi: "3.0.3",
    info: { title: docs.title, version: docs.version, description: docs.description ?? introduction },
    ...(docs.servers !== undefined && { servers: docs.servers.map((server) => ({ ...server })) }),
    tags: [...tags],
    paths: withPrefix(paths, docs.routePrefix),
    components: componentsOf(settings.genericApiKeyHeader),
  };
}

const introduction = `Agents, teams and workflows, by their names.

A run is told in JSON. Every answer has an \`X-Request-Id\`. All errors have one form, and a path that does not take a
method answers 405 with an \`Allow\` header.`;

const tags = [
  { name: "agents", description: "Agents, and what they answer." },
  { name: "teams", description: "Teams of agents, and what they answer together." },
  { name: "workflows", description: "Steps in order over a state." },
  { name: "runs", description: "Runs that are not over." },
  { name: "sessions", description: "Conversations, for who had them." },
  { name: "service", description: "The state of the service." },
];

function withPrefix(paths: Record<string, OpenApiPath>, prefix: string): Record<string, OpenApiPath> {
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [prefix + path, item] as const));
}
