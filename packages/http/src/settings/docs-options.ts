import { TroupeError } from "@troupe/core";
import {
  booleanOption,
  stringOption,
  arrayOf,
  nested,
  nonBlankString,
  optional,
  readOptions,
  customOption,
} from "@troupe/core/kit";
import type { OptionContext } from "@troupe/core/transport";
import type { OptionsOf, OptionTable } from "@troupe/core/kit";

/**
 * Options of the docs, given as `swagger` to `createAgentRouter` or as `docs` to `generateOpenAPISpec`. They set the
 * title and other facts of the OpenAPI document, and the paths of the document and of the page that shows it.
 */
export type DocsOptions = {
  /** `false` serves no docs. @default true */
  enabled?: boolean | undefined;
  /** The title of the OpenAPI document and the page. @default "Service API" */
  title?: string | undefined;
  /** A description of the service in Markdown. @default none */
  description?: string | undefined;
  /** The version of the host's service. @default "1.0.0" */
  version?: string | undefined;
  /** The person or team to ask about the service. @default none */
  contact?: { name: string; url?: string | undefined; email?: string | undefined } | undefined;
  /** The license under which the service may be used. @default none */
  license?: { name: string; url?: string | undefined } | undefined;
  /** A prefix for each path in the OpenAPI document. @default none */
  routePrefix?: string | undefined;
  /** The URLs of the service. @default the mount path of the router */
  servers?: readonly { url: string; description?: string }[] | undefined;
  /**
   * Questions that the page suggests, by the name of the agent or team that can answer them.
   * @default "What can you help me with?"
   */
  questions?: Readonly<Record<string, string>> | undefined;
  /**
   * OpenAPI security schemes of the host's authentication, by name. The page offers each of them to sign in, such as `{
   * bearer: { type: "http", scheme: "bearer" } }`. @default none
   */
  securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined;
  /** The path of the docs page. @default "/docs" */
  docsPath?: string | undefined;
  /** The path of the OpenAPI document. @default "/docs/spec.json" */
  specPath?: string | undefined;
};

/** A security scheme object of OpenAPI 3.0, for the host's authentication. */
export type SecurityScheme = {
  readonly type: "apiKey" | "http" | "oauth2" | "openIdConnect";
  readonly [field: string]: unknown;
};

const path = customOption<string>(
  'a path such as "/docs": segments of A-Z, a-z, 0-9, _ . ~ and -, each behind a slash',
  (value) => typeof value === "string" && /^(\/[\w.~-]+)+$/.test(value) && !/\/\.\.?(\/|$)/.test(value),
);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const questions = customOption<Readonly<Record<string, string>>>(
  'an object of strings by name, such as { helper: "How is the weather?" }',
  (value) => isObject(value) && Object.values(value).every((each) => typeof each === "string" && /\S/.test(each)),
);

const schemeTypes: readonly unknown[] = [
  "apiKey",
  "http",
  "oauth2",
  "openIdConnect",
] satisfies SecurityScheme["type"][];
const ownScheme = /^(anyKey|[a-z]+Key)$/;

const securitySchemes = customOption<Readonly<Record<string, SecurityScheme>>>(
  'an object of OpenAPI security schemes by name, such as { bearer: { type: "http", scheme: "bearer" } }. Names of letters and "Key" are the service\'s own',
  (value) =>
    isObject(value) &&
    Object.entries(value).every(
      ([name, scheme]) =>
        /^[\w.-]+$/.test(name) && !ownScheme.test(name) && isObject(scheme) && schemeTypes.includes(scheme["type"]),
    ),
);

const server = {
  url: customOption<string>("a string that is not empty", (value) => typeof value === "string" && value !== ""),
  description: optional(stringOption),
};

const person = { name: nonBlankString(), url: optional(nonBlankString()), email: optional(nonBlankString()) };
const license = { name: nonBlankString(), url: optional(nonBlankString()) };

const docsOptions = {
  enabled: optional(booleanOption, true),
  title: optional(nonBlankString(), "Service API"),
  description: optional(nonBlankString()),
  version: optional(nonBlankString(), "1.0.0"),
  contact: optional(nested(person)),
  license: optional(nested(license)),
  routePrefix: (value, name, where) => (value === undefined || value === "" ? "" : path(value, name, where)),
  servers: optional(arrayOf("servers", nested(server))),
  questions: optional(questions, {}),
  securitySchemes: optional(securitySchemes, {}),
  docsPath: optional(path, "/docs"),
  specPath: optional(path, "/docs/spec.json"),
} satisfies OptionTable<DocsOptions>;

/** The checked options of the docs, with defaults. {@link readDocsOptions} makes them. */
export type DocsSettings = Readonly<OptionsOf<typeof docsOptions>>;

/**
 * Checks the options of the docs and fills in their defaults. Throws `invalid_config` for a wrong or unknown option,
 * and for paths that are equal or belong to the router itself.
 */
export function readDocsOptions(options: unknown, where: OptionContext): DocsSettings {
  const docs = readOptions(docsOptions, options, where);
  for (const option of ["docsPath", "specPath"] as const) {
    // The router's own paths have precedence, so docs at such a path would never be reached.
    if (!/^\/(agents|teams|workflows|runs|schedules|sessions|health|ready)(\/|$)/i.test(docs[option])) continue;
    throw new TroupeError("invalid_config", `swagger.${option} is a path of the router itself. Choose another.`);
  }
  if (docs.docsPath.toLowerCase() !== docs.specPath.toLowerCase()) return docs;
  throw new TroupeError("invalid_config", "swagger.docsPath and swagger.specPath must be different paths.");
}
