import { readDocsOptions } from "../settings/docs-options.ts";
import type { DocsOptions, DocsSettings } from "../settings/docs-options.ts";
import { readSettings } from "../settings/read-settings.ts";
import type { RouterOptions, RouterSettings } from "../settings/router-options.ts";
import { componentsOf } from "./components.ts";
import type { OpenApiPath, OpenApiSpec } from "./open-api-spec.ts";
import { runPaths } from "./run-paths.ts";
import { servicePaths } from "./service-paths.ts";

/**
 * Returns the OpenAPI 3.0.3 document of the service that a router with these options serves, without making one. It has
 * `servers` only if the options name them. `docs` defaults to the option `swagger`. A wrong option throws
 * `invalid_config`.
 */
export function generateOpenAPISpec(options: RouterOptions = {}, docs?: DocsOptions): OpenApiSpec {
  const settings = readSettings(options);
  return describeService(settings, readDocsOptions(docs ?? options.swagger ?? {}, { path: "swagger" }));
}

/**
 * Makes the OpenAPI document from checked settings, for {@link generateOpenAPISpec} and for the docs routes of a
 * router.
 */
export function describeService(settings: RouterSettings, docs: DocsSettings): OpenApiSpec {
  const paths = { ...runPaths(settings), ...servicePaths() };
  return {
    openapi: "3.0.3",
    info: {
      title: docs.title,
      version: docs.version,
      ...(docs.description !== undefined && { description: docs.description }),
    },
    ...(docs.servers !== undefined && { servers: docs.servers.map((server) => ({ ...server })) }),
    tags: [...tags],
    paths: withPrefix(paths, docs.routePrefix),
    components: componentsOf(settings.genericApiKeyHeader),
  };
}

const tags = [
  { name: "agents", description: "Agents and their runs." },
  { name: "teams", description: "Teams of agents and their runs." },
  { name: "workflows", description: "Workflows and their runs." },
  { name: "runs", description: "Active runs." },
  {
    name: "sessions",
    description: "Conversations of the user who is signed in, or without one those that have no user.",
  },
  { name: "service", description: "The state of the service." },
];

function withPrefix(paths: Record<string, OpenApiPath>, prefix: string): Record<string, OpenApiPath> {
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [prefix + path, item] as const));
}
