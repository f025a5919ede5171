import { TroupeError } from "@troupe/core";
import {
  anyBoolean,
  anyString,
  arrayOf,
  nested,
  nonBlankString,
  optional,
  readOptions,
  satisfying,
} from "@troupe/core/adapter";
import type { OptionsOf, OptionTable, OptionContext } from "@troupe/core/adapter";

/**
 * Options of the docs, given as `swagger` to `createAgentRouter` or as `docs` to `generateOpenAPISpec`: title and other
 * facts of the OpenAPI document, and the paths at which the router serves it and the page that shows it.
 */
export type DocsOptions = {
  /** `false` serves no docs. @default true */
  enabled?: boolean | undefined;
  /** @default "Service API" */
  title?: string | undefined;
  /** In Markdown. @default none */
  description?: string | undefined;
  /** The version of the host's service. @default "1.0.0" */
  version?: string | undefined;
  /** A prefix for each path of the description. @default none */
  routePrefix?: string | undefined;
  /** URLs that the service can be reached at. @default the mount path of the router */
  servers?: readonly { url: string; description?: string }[] | undefined;
  /** @default "/docs" */
  docsPath?: string | undefined;
  /** @default "/docs/spec.json" */
  specPath?: string | undefined;
};

const path = satisfying<string>(
  'a path such as "/docs": segments of A-Z, a-z, 0-9, _ . ~ and -, each behind a slash',
  (value) => typeof value === "string" && /^(\/[\w.~-]+)+$/.test(value) && !/\/\.\.?(\/|$)/.test(value),
);

const server = {
  url: satisfying<string>("a string that is not empty", (value) => typeof value === "string" && value !== ""),
  description: optional(anyString),
};

const docsOptions = {
  enabled: optional(anyBoolean, true),
  title: optional(nonBlankString(), "Service API"),
  description: optional(nonBlankString()),
  version: optional(nonBlankString(), "1.0.0"),
  routePrefix: (value, name, where) => (value === undefined || value === "" ? "" : path(value, name, where)),
  servers: optional(arrayOf("servers", nested(server))),
  docsPath: optional(path, "/docs"),
  specPath: optional(path, "/docs/spec.json"),
} satisfies OptionTable<DocsOptions>;

/** Checked options of the docs with their defaults filled in: the result of {@link readDocsOptions}. */
export type DocsSettings = Readonly<OptionsOf<typeof docsOptions>>;

/**
 * Checks the options of the docs and fills in their defaults. Throws `invalid_config` for a wrong or unknown option,
 * and for paths that are equal or belong to the router itself.
 */
export function readDocsOptions(options: unknown, where: OptionContext): DocsSettings {
  const docs = readOptions(docsOptions, options, where);
  for (const option of ["docsPath", "specPath"] as const) {
    // The router's own paths come first: the docs would never be seen.
    if (!/^\/(agents|teams|workflows|runs|sessions|health|ready)(\/|$)/i.test(docs[option])) continue;
    throw new TroupeError("invalid_config", `swagger.${option} is a path of the router itself. Choose another.`);
  }
  if (docs.docsPath.toLowerCase() !== docs.specPath.toLowerCase()) return docs;
  throw new TroupeError("invalid_config", "swagger.docsPath and swagger.specPath must be different paths.");
}
