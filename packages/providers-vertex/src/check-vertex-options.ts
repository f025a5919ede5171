import { createPrivateKey } from "node:crypto";
import { TroupeError } from "@troupe/core";
import { optional, satisfying } from "@troupe/core/adapter";
import type { AuthClient, ServiceAccount, VertexOptions } from "./vertex-options.ts";

/**
 * Checks of the options that only `vertex` has: project, location and credentials. Project and location become parts of
 * URLs.
 */
export const vertexTable = {
  project: optional(nameLike("the id of a project", /^[a-z][\w.:-]*$/i)),
  location: optional(nameLike("the id of a location", /^[a-z][a-z\d-]*$/)),
  credentials: optional(
    satisfying<ServiceAccount | AuthClient>(
      "the key of a service account, with client_email and a private_key that can be read, or a client of google-auth-library",
      (value) => typeof value === "object" && value !== null && (isAuthClient(value) || isServiceAccount(value)),
    ),
  ),
};

/**
 * Checks the options of `vertex` that depend on each other: project and location only together, credentials only with
 * them and not with an `apiKey`. Throws `invalid_config` otherwise.
 */
export function checkVertexOptions({ project, location, credentials, apiKey }: VertexOptions): void {
  if ((project === undefined) !== (location === undefined)) {
    const missing = project === undefined ? "project" : "location";
    throw new TroupeError("invalid_config", `vertex needs project and location together: ${missing} is missing.`);
  }
  if (credentials !== undefined && project === undefined) {
    throw new TroupeError("invalid_config", "vertex needs project and location where credentials are given.");
  }
  if (credentials !== undefined && apiKey !== undefined) {
    throw new TroupeError("invalid_config", "vertex takes credentials or apiKey, not both: leave one out.");
  }
}

/** Tells if the option `credentials` is a client that makes headers, and not the key of a service account. */
export function isAuthClient(value: object): value is AuthClient {
  return "getRequestHeaders" in value && typeof value.getRequestHeaders === "function";
}

function nameLike(what: string, pattern: RegExp) {
  return satisfying<string>(what, (value) => typeof value === "string" && pattern.test(value));
}

function isServiceAccount(value: object): boolean {
  const { client_email: email, private_key: key } = value as Partial<ServiceAccount>;
  return typeof email === "string" && typeof key === "string" && isPrivateKey(key);
}

function isPrivateKey(key: string): boolean {
  try {
    return createPrivateKey(key).type === "private";
  } catch {
    return false;
  }
}
