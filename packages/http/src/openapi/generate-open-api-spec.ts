import { TroupeError } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { checkShortFormOptions } from "@troupe/core/transport";
import { readDocsOptions } from "../settings/docs-options.ts";
import type { DocsOptions, DocsSettings } from "../settings/docs-options.ts";
import { partsOf, readHttpOptions, shortFormNames } from "../settings/http-options.ts";
import type { HttpOptions, HttpParts } from "../settings/http-options.ts";
import { componentsOf } from "./components.ts";
import type { OpenApiOperation, OpenApiPath, OpenApiSpec } from "./open-api-spec.ts";
import { runPaths } from "./run-paths.ts";
import { servicePaths } from "./service-paths.ts";

/**
 * Returns the OpenAPI 3.0.3 document of the service that a router with these options serves, without making the router.
 * It has `servers` only if the options name them. `docs` defaults to the option `swagger`. Throws `invalid_config` for
 * a wrong option.
 */
export function generateOpenAPISpec(
  options: ServiceOptions & HttpOptions & { middleware?: unknown } = {},
  docs?: DocsOptions,
): OpenApiSpec {
  const owner = "generateOpenAPISpec";
  checkShortFormOptions(options, shortFormNames, owner);
  const { swagger, fileUpload, middleware: _, ...shared } = options;
  const parts = partsOf(createService(shared, owner), readHttpOptions({ swagger, fileUpload }, owner));
  return describeService(parts, readDocsOptions(docs ?? swagger ?? {}, { path: "swagger" }));
}

/** Makes the OpenAPI document from checked settings, for {@link generateOpenAPISpec} and for a router's docs routes. */
export function describeService(parts: HttpParts, docs: DocsSettings): OpenApiSpec {
  checkQuestions(parts, docs);
  const others = parts.beside.flatMap((protocol) => protocol.describe?.(parts.service) ?? []);
  const ofOthers = Object.assign({}, ...others.map(({ paths }) => paths)) as Record<string, OpenApiPath>;
  const own: Record<string, OpenApiPath> = { ...runPaths(parts, docs), ...ofOthers, ...servicePaths(parts.service) };
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
    tags: [...tagsOf(parts), ...others.flatMap((other) => other.tags ?? [])],
    paths: withPrefix(paths, docs.routePrefix),
    components: componentsOf(parts, docs),
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

function tagsOf({ service: { settings } }: HttpParts): typeof tags {
  const schedules = { name: "schedules", description: "Runs by time, of the user who is signed in." };
  return settings.schedules === undefined ? tags : [...tags, schedules];
}

function checkQuestions({ service: { agents, teams } }: HttpParts, { questions }: DocsSettings): void {
  const unknown = Object.keys(questions).find((name) => !agents.has(name) && !teams.has(name));
  if (unknown === undefined) return;
  const message = `swagger.questions has the name ${JSON.stringify(unknown)}, which no agent and no team has.`;
  throw new TroupeError("invalid_config", message);
}

/**
 * Sets the `security` of each operation: any of the host's security schemes, but none for the probes, which the
 * middleware does not protect. If the host has no schemes, an operation that accepts no keys declares that it needs no
 * security.
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
