import { TroupeError } from "@troupe/core";
import { getOwn } from "@troupe/core/kit";

/** The server, login and database to connect to: a parsed connection string with its defaults. */
export type ServerAddress = {
  /** The host of the server: a name, an IP address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl: boolean | { rejectUnauthorized: false };
  readonly channelBinding: boolean;
  readonly applicationName: string;
};

const sslModes: Readonly<Record<string, ServerAddress["ssl"]>> = {
  disable: false,
  "no-verify": { rejectUnauthorized: false },
  require: true,
  "verify-ca": true,
  "verify-full": true,
};

const channelBindings: Readonly<Record<string, boolean>> = { disable: false, prefer: true, require: true };

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…`, or throws `invalid_config`. Missing parts have fixed
 * defaults, never values from the environment. Errors quote nothing of the string, because it contains a password.
 */
export function readConnectionString(text: string): ServerAddress {
  const url = URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hash !== "") throw wrong(shape);
  const user = decode(url.username);
  const host = decode(url.hostname).replace(/^\[(.*)\]$/, "$1");
  if (user === "" || host === "") throw wrong(shape);
  return {
    host,
    port: url.port === "" ? 5432 : Number(url.port),
    user,
    password: decode(url.password),
    database: decode(pathOf(text)) || user,
    ...readParameters(url.searchParams),
  };
}

const shape =
  "must be postgres://user:password@host:port/database, with at least a user and a host and with special characters percent-encoded";

/**
 * Reads the path of a connection string unparsed, because parsing a URL drops `.` and `..`, which are valid database
 * names.
 */
function pathOf(text: string): string {
  return /^[^/]*\/\/[^/?]*\/?([^?]*)/.exec(text.trim())?.[1] ?? "";
}

function readParameters(
  parameters: URLSearchParams,
): Pick<ServerAddress, "ssl" | "channelBinding" | "applicationName"> {
  for (const name of parameters.keys()) {
    if (!["sslmode", "channel_binding", "application_name"].includes(name))
      throw wrong("may have the parameters sslmode, channel_binding and application_name. Pass a pool to set others");
  }
  return {
    ssl: oneOf(sslModes, "sslmode", parameters.get("sslmode") ?? "disable"),
    channelBinding: oneOf(channelBindings, "channel_binding", parameters.get("channel_binding") ?? "prefer"),
    applicationName: parameters.get("application_name") ?? "troupe",
  };
}

function oneOf<Value>(values: Readonly<Record<string, Value>>, parameter: string, name: string): Value {
  const value = getOwn(values, name);
  if (value === undefined) throw wrong(`must have one of ${Object.keys(values).join(", ")} as ${parameter}`);
  return value;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrong(shape);
  }
}

function wrong(problem: string): TroupeError {
  return new TroupeError("invalid_config", `The connection string ${problem}.`);
}
