import { TroupeError } from "@troupe/core";
import { readDocsOptions } from "../settings/docs-options.ts";
import type { DocsOptions, DocsSettings } from "../settings/docs-options.ts";
import { readSettings } from "../settings/read-settings.ts";
import type { RouterOptions, RouterSettings } from "../settings/router-options.ts";
import { componentsOf } from "./components.ts";
import type { OpenApiOperation, OpenApiPath, OpenApiSpec } from "./open-api-spec.ts";
import { runPaths } from "./run-paths.ts";
import { uiPaths } from "./ui-paths.ts";
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
  checkQuestions(settings, docs);
  const own = { ...runPaths(settings, docs), ...uiPaths(settings, docs), ...servicePaths() };
  const paths = withSecurity(own, docs);
  return {
    openapi: "3.0.3",
    info: {
      title: docs.title,
      version: docs.version,
      ...(docs.description !== undefined && { description: docs.description }),
      ...(docs.contact !== undefined && { contact: docs.contact }),
      ...(docs.license !== undefined && { license: docs.license }),
    },
    ...(docs.servers !== undefined && { servers: docs.servers.map((server) => ({ ...server })) }),
    tags: [...tags],
    paths: withPrefix(paths, docs.routePrefix),
    components: componentsOf(settings, docs),
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

function checkQuestions({ agents, teams }: RouterSettings, { questions }: DocsSettings): void {
  const unknown = Object.keys(questions).find((name) => !agents.has(name) && !teams.has(name));
  if (unknown === undefined) return;
  const message = `swagger.questions has the name ${JSON.stringify(unknown)}, which no agent and no team has.`;
  throw new TroupeError("invalid_config", message);
}

/**
 * Gives each operation its `security`: one of the ways to sign in that the host has, but not the probes, which stand before
 * it. Without such a way an operation that takes no keys needs none, and says so.
 */
function withSecurity(
  paths: Record<string, OpenApiPath>,
  { securitySchemes }: DocsSettings,
): Record<string, OpenApiPath> {
  const names = Object.keys(securitySchemes);
  const secured = ({ security, ...operation }: OpenApiOperation, isProbe: boolean): OpenApiOperation => {
    if (names.length === 0 || isProbe) return { ...operation, security: security ?? [] };
    const signedIn = names.flatMap((name) => (security ?? [{}]).map((keys) => ({ [name]: [], ...keys })));
    return { ...operation, security: signedIn };
  };
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      const isProbe = path === "/health" || path === "/ready";
      const operations = Object.entries(item).map(
        ([method, operation]) => [method, secured(operation, isProbe)] as const,
      );
      return [path, Object.fromEntries(operations) as OpenApiPath] as const;
    }),
  );
}

function withPrefix(paths: Record<string, OpenApiPath>, prefix: string): Record<string, OpenApiPath> {
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [prefix + path, item] as const));
}
