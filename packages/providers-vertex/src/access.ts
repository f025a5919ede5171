import { accessByKey } from "@troupe-internal/gemini";
import type { OpenCall, OpenedCall } from "@troupe-internal/gemini";
import { TroupeError } from "@troupe/core";
import { readEnvironment } from "@troupe/core/kit";
import type { Network } from "@troupe/core/kit";
import type { CallContext } from "@troupe/core/provider";
import { Credentials } from "./credentials.ts";
import { locationPattern, projectOf, projectPattern, providerId } from "./options.ts";
import type { CloudOptions } from "./options.ts";

type CloudSettings = Pick<CloudOptions, "project" | "location" | "credentials" | "baseURL"> & {
  network: Network;
  client?: unknown;
};

/**
 * Returns the function that opens each call to a model on Google Cloud. A key takes precedence over the project's
 * credentials. `GOOGLE_API_KEY` is used only if no project, location or credentials are configured. If the project or
 * the location is not configured, each call looks it up.
 */
export function createOpenCall(settings: CloudSettings, modelId: string): OpenCall {
  const { network, client, location, baseURL } = settings;
  if (client !== undefined) return async (options) => ({ call: await network.openCall({ providerId, ...options }) });
  const ownProject = settings.project ?? projectOf(settings.credentials);
  const credentials = new Credentials(settings);
  const addressIn = (project: string | undefined) => addressOf(modelId, { project, location, baseURL });

  return async ({ apiKey, signal }) => {
    const own = ownProject ?? readName("GOOGLE_CLOUD_PROJECT", projectPattern);
    const isInProject = own !== undefined || settings.credentials !== undefined || location !== undefined;
    const environment = isInProject ? [] : ["GOOGLE_API_KEY"];
    const start = { providerId, apiKey, signal, environment, isKeyOptional: true, isForeign: isForeign(baseURL) };
    const call = await network.openCall(start);
    if (call.key !== undefined) return { call, access: accessByKey(addressIn(ownProject), call) };
    const project = own ?? (namesProject(modelId) ? undefined : await credentials.findProject(signal));
    const address = addressIn(project);
    return withToken(call, address, await credentials.headers(address, signal));
  };
}

/** Returns true for an address that is not Google's own. */
function isForeign(baseURL: string | undefined): boolean {
  return baseURL !== undefined && !/(?:^|\.)googleapis\.com$/.test(new URL(baseURL).hostname);
}

/**
 * Adds the URL and the headers with a token to a call. The token belongs to this server's account and not to a caller.
 */
function withToken(call: CallContext, baseURL: string, headers: Record<string, string>): OpenedCall {
  const value = /^Bearer (.+)$/i.exec(headers["authorization"] ?? "")?.[1];
  const key = value === undefined ? undefined : { value, fromCaller: false };
  return { call: { ...call, key }, access: { baseURL, headers } };
}

/** Multi-regions of Google Cloud. Their host names have another form than the host names of regions. */
const wideRegions = ["us", "eu"];

type Place = { project: string | undefined; location: string | undefined; baseURL: string | undefined };

/**
 * Returns the URL of the Vertex API with its version, at the location or the given address. The URL contains project
 * and location, unless the model's id names its project or the call has no project.
 */
function addressOf(modelId: string, { project, location: given, baseURL }: Place): string {
  const isNamed = namesProject(modelId);
  const location = given ?? (isNamed ? locationIn(modelId) : locationFor(project));
  return `${baseURL ?? originOf(location)}/v1beta1${isNamed || project === undefined ? "" : `/projects/${project}/locations/${location}`}`;
}

/** Returns true if a model id contains its project, as the ids of a project's own models do. */
function namesProject(modelId: string): boolean {
  return modelId.startsWith("projects/");
}

function locationIn(modelId: string): string {
  const location = /^projects\/[^/]+\/locations\/([^/]+)\//.exec(modelId)?.[1];
  return location !== undefined && locationPattern.test(location) ? location : "global";
}

/**
 * Returns the location of a call without the option `location`. A key without a project works only at the global
 * address.
 */
function locationFor(project: string | undefined): string {
  return (project === undefined ? undefined : readName("GOOGLE_CLOUD_LOCATION", locationPattern)) ?? "global";
}

function originOf(location: string): string {
  if (location === "global") return "https://aiplatform.googleapis.com";
  if (wideRegions.includes(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

/**
 * Reads an environment variable that becomes part of a URL to which a token is sent. Throws `invalid_config` if it does
 * not match the pattern.
 */
function readName(variable: string, pattern: RegExp): string | undefined {
  const name = readEnvironment(variable)?.value;
  if (name === undefined || pattern.test(name)) return name;
  throw new TroupeError(
    "invalid_config",
    `${variable} must be the id of a ${variable === "GOOGLE_CLOUD_PROJECT" ? "project" : "location"}. Set it anew, or pass the option.`,
  );
}
