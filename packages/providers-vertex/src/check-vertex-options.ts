import { createPrivateKey } from "node:crypto";
import { TroupeError } from "@troupe/core";
import { wrongOption } from "@troupe/core/adapter";
import type { AuthClient, ServiceAccount, VertexOptions } from "./vertex-options.ts";

/** What is asked of the options that other models have not. */
export const vertexChecks = {
  // Both stand in addresses.
  project: (value: unknown) => checkName("project", /^[a-z][\w.:-]*$/i, value),
  location: (value: unknown) => checkName("location", /^[a-z][a-z\d-]*$/, value),
  credentials: checkCredentials,
};

/** Checks that the options go together. */
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

/** Whether the credentials can prove by themselves who asks. */
export function isAuthClient(value: object): value is AuthClient {
  return "getRequestHeaders" in value && typeof value.getRequestHeaders === "function";
}

function checkName(option: string, pattern: RegExp, value: unknown): void {
  if (typeof value !== "string" || !pattern.test(value)) throw wrongOption(option, `the id of a ${option}`, value);
}

// What is wrong with credentials is never shown: they may be a secret in another form.
function checkCredentials(value: unknown): void {
  if (typeof value === "object" && value !== null && (isAuthClient(value) || isServiceAccount(value))) return;
  throw new TroupeError(
    "invalid_config",
    "credentials must be a service account's key, with client_email and a private_key that can be read, or a client of google-auth-library.",
  );
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
