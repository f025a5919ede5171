import { TroupeError } from "@troupe/core";
import {
  booleanOption,
  stringOption,
  arrayOf,
  nested,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  customOption,
  wrongOption,
} from "@troupe/core/kit";
import type { OptionCheck, OptionsOf } from "@troupe/core/kit";

/** OAuth scopes by name, each with a description. */
type Scopes = Record<string, string>;

const url = nonBlankString();
const scopes: OptionCheck<Scopes> = customOption(
  "an object of descriptions by scope",
  (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === "string"),
);

/** The OAuth 2 flows in the order in which A2A 1.0 prefers them. A card of 1.0 lists only one flow per scheme. */
const flowTable = {
  authorizationCode: optional(
    nested({
      authorizationUrl: url,
      tokenUrl: url,
      refreshUrl: optional(url),
      scopes,
      pkceRequired: optional(booleanOption),
    }),
  ),
  clientCredentials: optional(nested({ tokenUrl: url, refreshUrl: optional(url), scopes })),
  deviceCode: optional(nested({ deviceAuthorizationUrl: url, tokenUrl: url, refreshUrl: optional(url), scopes })),
  implicit: optional(nested({ authorizationUrl: url, refreshUrl: optional(url), scopes })),
  password: optional(nested({ tokenUrl: url, refreshUrl: optional(url), scopes })),
};

const description = optional(stringOption);
const name = nonBlankString();

/** The tables by which the options of a security scheme are checked, by type of the scheme. */
const schemeTables = {
  apiKey: { type: oneOf("apiKey"), description, in: oneOf("header", "query", "cookie"), name },
  http: { type: oneOf("http"), description, scheme: name, bearerFormat: optional(name) },
  oauth2: { type: oneOf("oauth2"), description, flows: nested(flowTable), oauth2MetadataUrl: optional(url) },
  openIdConnect: { type: oneOf("openIdConnect"), description, openIdConnectUrl: url },
  mutualTLS: { type: oneOf("mutualTLS"), description },
};

type SchemeTables = typeof schemeTables;

/** The OAuth 2 flows by which a client gets a token, in the form of OpenAPI. `deviceCode` exists only in A2A 1.0. */
export type OAuthFlows = {
  authorizationCode?: {
    authorizationUrl: string;
    tokenUrl: string;
    refreshUrl?: string;
    scopes: Scopes;
    pkceRequired?: boolean;
  };
  clientCredentials?: { tokenUrl: string; refreshUrl?: string; scopes: Scopes };
  deviceCode?: { deviceAuthorizationUrl: string; tokenUrl: string; refreshUrl?: string; scopes: Scopes };
  implicit?: { authorizationUrl: string; refreshUrl?: string; scopes: Scopes };
  password?: { tokenUrl: string; refreshUrl?: string; scopes: Scopes };
};

/** A security scheme: one way in which the host authenticates clients, in the form of OpenAPI. */
export type SecurityScheme = { description?: string } & (
  | { type: "apiKey"; in: "header" | "query" | "cookie"; name: string }
  | { type: "http"; scheme: string; bearerFormat?: string }
  | { type: "oauth2"; flows: OAuthFlows; oauth2MetadataUrl?: string }
  | { type: "openIdConnect"; openIdConnectUrl: string }
  | { type: "mutualTLS" }
);

/**
 * The host's security schemes, and its requirements. A client must meet one of the requirements, by using all of its
 * schemes with their scopes.
 */
export type CardSecurity = {
  securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined;
  security?: readonly Readonly<Record<string, readonly string[]>>[] | undefined;
};

/** Checks the option `securitySchemes`. */
export const securitySchemesOption: OptionCheck<Record<string, SecurityScheme>> = (value, option) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrongOption(option, "an object of schemes by name", value);
  }
  const entries = Object.entries(value).map(([key, scheme]): [string, SecurityScheme] => {
    return [key, readScheme(scheme, `${option}.${key}`)];
  });
  return Object.fromEntries(entries);
};

function readScheme(scheme: unknown, path: string): SecurityScheme {
  const type = typeof scheme === "object" && scheme !== null ? (scheme as { type?: unknown }).type : undefined;
  const known = oneOf(...(Object.keys(schemeTables) as (keyof SchemeTables)[]));
  const table = schemeTables[known(type, "type", { path })];
  const read = readOptions(table, scheme, { path }) as OptionsOf<SchemeTables["oauth2"]>;
  if (read.type === "oauth2" && Object.keys(read.flows).length === 0) {
    throw new TroupeError("invalid_config", `${path}.flows must have at least one flow, such as clientCredentials.`);
  }
  return read;
}

/** Checks the option `security`. */
export const securityOption: OptionCheck<Record<string, string[]>[]> = arrayOf(
  "requirements",
  customOption<Record<string, string[]>>(
    "an object of scopes by the name of a scheme, such as { bearer: [] }",
    (value) =>
      typeof value === "object" &&
      value !== null &&
      Object.values(value).every(
        (needed) => Array.isArray(needed) && needed.every((scope) => typeof scope === "string"),
      ),
  ),
);

/** Throws `invalid_config` if a requirement names an undeclared security scheme, because no client could meet it. */
export function checkSecurity({ securitySchemes = {}, security = [] }: CardSecurity): void {
  for (const requirement of security) {
    for (const scheme of Object.keys(requirement)) {
      if (Object.hasOwn(securitySchemes, scheme)) continue;
      const message = `security names the scheme ${JSON.stringify(scheme)}, which is not in securitySchemes. Declare it there.`;
      throw new TroupeError("invalid_config", message);
    }
  }
}

/** Writes a security scheme for A2A 0.x, without the fields that exist only in 1.0. */
export function toScheme0(scheme: SecurityScheme): object {
  if (scheme.type !== "oauth2") return scheme;
  const { deviceCode: _, authorizationCode, ...others } = scheme.flows;
  if (authorizationCode === undefined) return { ...scheme, flows: others };
  const { pkceRequired: _pkce, ...flow } = authorizationCode;
  return { ...scheme, flows: { authorizationCode: flow, ...others } };
}

/** Writes a security scheme for A2A 1.0: an object whose only key names the type of the scheme. */
export function toScheme1({ description: text, ...scheme }: SecurityScheme): object {
  const described = text === undefined ? {} : { description: text };
  switch (scheme.type) {
    case "apiKey":
      return { apiKeySecurityScheme: { ...described, location: scheme.in, name: scheme.name } };
    case "http": {
      const { type: _, ...facts } = scheme;
      return { httpAuthSecurityScheme: { ...described, ...facts } };
    }
    case "oauth2": {
      const { type: _, flows, ...facts } = scheme;
      return { oauth2SecurityScheme: { ...described, flows: preferredFlow(flows), ...facts } };
    }
    case "openIdConnect":
      return { openIdConnectSecurityScheme: { ...described, openIdConnectUrl: scheme.openIdConnectUrl } };
    default:
      return { mtlsSecurityScheme: described };
  }
}

/** Picks the preferred OAuth flow: A2A 1.0 allows exactly one. */
function preferredFlow(flows: OAuthFlows): object {
  const preferred = (Object.keys(flowTable) as (keyof OAuthFlows)[]).find((flow) => flows[flow] !== undefined);
  return preferred === undefined ? {} : { [preferred]: flows[preferred] };
}
