import { TroupeError } from "@troupe/core";
import { checkOptionNames, wrongOption } from "@troupe/core/adapter";

/** How the service is described, and where. */
export type DocsOptions = {
  /** `false` serves no docs. @default true */
  enabled?: boolean;
  /** @default "Service API" */
  title?: string;
  /** In Markdown. @default a few words on how the service is used */
  description?: string;
  /** The version of what is served. @default "1.0.0" */
  version?: string;
  /** What stands before each path of the description. */
  routePrefix?: string;
  /** Where the service can be reached. @default where the router is mounted */
  servers?: readonly { url: string; description?: string }[];
  /** @default "/docs" */
  docsPath?: string;
  /** @default "/docs/spec.json" */
  specPath?: string;
};

/** The options of the docs when all is settled. */
export type DocsSettings = Required<Pick<DocsOptions, "enabled" | "title" | "version" | "routePrefix">> & {
  readonly description: string | undefined;
  readonly servers: NonNullable<DocsOptions["servers"]> | undefined;
  readonly docsPath: string;
  readonly specPath: string;
};

const names = [
  "enabled",
  "title",
  "description",
  "version",
  "routePrefix",
  "servers",
  "docsPath",
  "specPath",
] as const satisfies (keyof DocsOptions)[];

const defaults = {
  enabled: true,
  title: "Service API",
  version: "1.0.0",
  routePrefix: "",
  docsPath: "/docs",
  specPath: "/docs/spec.json",
};

/** Takes the options of the docs and fills in what they leave open; a wrong or unknown one is `invalid_config`. */
export function readDocsOptions(options: DocsOptions): DocsSettings {
  if (typeof options !== "object" || options === null) throw wrongOption("swagger", "an object", options);
  checkOptionNames(options, names, "swagger");
  const { enabled, title, version, description, servers, routePrefix } = { ...defaults, ...given(options) };
  if (typeof enabled !== "boolean") throw wrongOption("swagger.enabled", "true or false", enabled);
  return {
    enabled,
    title: checkText(title, "title"),
    version: checkText(version, "version"),
    description: description === undefined ? undefined : checkText(description, "description"),
    servers: servers === undefined ? undefined : checkServers(servers),
    routePrefix: routePrefix === "" ? "" : checkPath(routePrefix, "routePrefix"),
    ...checkPlaces({ ...defaults, ...given(options) }),
  };
}

/** What is `undefined` is left open. */
function given(options: DocsOptions): DocsOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function checkText(value: unknown, option: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw wrongOption(`swagger.${option}`, "a text", value);
}

/** A pattern would be no address: what is served has one path. */
function checkPath(value: unknown, option: string): string {
  if (typeof value === "string" && /^(\/[\w.~-]+)+$/.test(value) && !/\/\.\.?(\/|$)/.test(value)) return value;
  const expected = 'a path like "/docs": segments of A-Z, a-z, 0-9, _ . ~ and -, each behind a slash';
  throw wrongOption(`swagger.${option}`, expected, value);
}

/** The router's own paths come first, and the docs would never be seen. */
function checkPlaces({ docsPath, specPath }: DocsOptions): Pick<DocsSettings, "docsPath" | "specPath"> {
  const places = { docsPath: checkPath(docsPath, "docsPath"), specPath: checkPath(specPath, "specPath") };
  for (const [option, path] of Object.entries(places)) {
    if (!/^\/(agents|teams|workflows|runs|sessions|health|ready)(\/|$)/i.test(path)) continue;
    throw new TroupeError("invalid_config", `swagger.${option} is a path of the router itself: give it another.`);
  }
  if (places.docsPath.toLowerCase() !== places.specPath.toLowerCase()) return places;
  throw new TroupeError("invalid_config", "swagger.docsPath and swagger.specPath must be different paths.");
}

function checkServers(servers: unknown): NonNullable<DocsOptions["servers"]> {
  const expected = "a list of { url, description? }, both texts";
  if (!Array.isArray(servers)) throw wrongOption("swagger.servers", expected, servers);
  for (const server of servers as unknown[]) {
    const { url, description = "" } = (server ?? {}) as { url?: unknown; description?: unknown };
    if (typeof url !== "string" || url === "" || typeof description !== "string") {
      throw wrongOption("swagger.servers", expected, server);
    }
    checkOptionNames(server as object, ["url", "description"], "swagger.servers");
  }
  return servers as NonNullable<DocsOptions["servers"]>;
}
