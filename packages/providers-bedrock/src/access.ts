import { setImmediate } from "node:timers/promises";
import { createHash } from "node:crypto";
import { TroupeError } from "@troupe/core";
import { readEnvironment } from "@troupe/core/kit";
import type { CallContext, HttpSender, ModelCallOptions } from "@troupe/core/provider";
import { Credentials, credentialVariables } from "./credentials.ts";
import { providerId, regionPattern } from "./options.ts";
import type { AwsCredentials, ProviderSettings } from "./options.ts";
import { sha256, signRequest } from "./sign-request.ts";

/** An opened call: the URL of the API, the headers with its key, and the sender that signs requests without a key. */
export type OpenedCall = {
  call: CallContext;
  baseURL: string;
  headers: Readonly<Record<string, string>>;
  sender: HttpSender;
};

type AccessSettings = Pick<
  ProviderSettings,
  "network" | "region" | "credentials" | "baseURL" | "useEnvironmentKey" | "modelId"
>;

const keyVariable = "AWS_BEARER_TOKEN_BEDROCK";

/**
 * Returns the function that opens each call to a model of Bedrock. An API key takes precedence over credentials, unless
 * the options have credentials and the call has no key. At an address that is not Amazon's, neither is taken from the
 * environment unless the user allows it; a call that then has no key is sent unsigned.
 */
export function createOpenCall(settings: AccessSettings): (options: ModelCallOptions) => Promise<OpenedCall> {
  const { network, baseURL, useEnvironmentKey } = settings;
  const credentials = new Credentials(settings.credentials);
  const isForeign = baseURL !== undefined && amazonsHost(baseURL) === undefined;
  const isWithheld = isForeign && !useEnvironmentKey;

  return async ({ apiKey, signal }) => {
    const environment = credentials.isGiven ? [] : [keyVariable];
    const call = await network.openCall({
      providerId,
      apiKey,
      signal,
      environment,
      isForeign,
      isKeyOptional: true,
    });
    if (call.key !== undefined) {
      const headers = { authorization: `Bearer ${call.key.value}` };
      return { call, baseURL: addressOf(settings), headers, sender: network };
    }
    if (isWithheld && !credentials.isGiven) {
      const withheld = { ...call, withheldKeys: [keyVariable, ...credentialVariables] };
      return { call: withheld, baseURL: addressOf(settings), headers: {}, sender: network };
    }
    const found = await credentials.find(signal);
    const sender = signingSender(network, { credentials: found, region: regionOf(settings) });
    return { call: withSecrets(call, found), baseURL: addressOf(settings), headers: {}, sender };
  };
}

/** Adds the credentials to a call, so that its errors do not show them. */
function withSecrets(call: CallContext, found: AwsCredentials): CallContext {
  const { secretAccessKey: value, sessionToken } = found;
  return {
    ...call,
    key: { value, fromCaller: false },
    withheldKeys: undefined,
    findSecrets: () => (sessionToken === undefined ? [] : [sessionToken]),
  };
}

/**
 * Makes a sender that signs each request. A request is left unsigned if the user has set its header `authorization`.
 */
function signingSender(sender: HttpSender, signer: { credentials: AwsCredentials; region: string }): HttpSender {
  return {
    async send(address, init = {}) {
      const { method = "GET", headers = {}, body } = init;
      const isSigned = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
      if (isSigned) return await sender.send(address, init);
      const bodyHash = await hashOf(body);
      const request = { method, url: new URL(address), headers, bodyHash };
      const own = signRequest(request, { ...signer, time: new Date() });
      return await sender.send(address, { ...init, headers: { ...headers, ...own } });
    },
  };
}

type Body = NonNullable<Parameters<HttpSender["send"]>[1]>["body"];

async function hashOf(body: Body): Promise<string> {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return sha256(body ?? "");
  const hash = createHash("sha256");
  for await (const piece of body) {
    hash.update(piece);
    // A large body is hashed in steps, between which other calls continue.
    await setImmediate();
  }
  return hash.digest("hex");
}

function addressOf(settings: AccessSettings): string {
  if (settings.baseURL !== undefined) return settings.baseURL;
  const region = regionOf(settings);
  return `https://bedrock-runtime.${region}.${region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"}`;
}

/**
 * Returns the region of a model: the region in the options, in the address, in the environment, or in the model's ARN.
 */
function regionOf({ region, baseURL, modelId }: AccessSettings): string {
  const own = region ?? (baseURL === undefined ? undefined : amazonsHost(baseURL)?.region);
  const found = own ?? readEnvironment("AWS_REGION", "AWS_DEFAULT_REGION")?.value ?? regionInArn(modelId);
  if (found !== undefined && regionPattern.test(found)) return found;
  const what = found === undefined ? `${providerId} needs a region` : "AWS_REGION must be the id of a region";
  throw new TroupeError("invalid_config", `${what}: pass region, or set AWS_REGION.`);
}

function regionInArn(modelId: string): string | undefined {
  return /^arn:[^:]+:bedrock:([^:]+):/.exec(modelId)?.[1];
}

/**
 * Returns the region of an address of Bedrock at Amazon, or undefined for other addresses. Addresses of other services
 * at Amazon may belong to anyone.
 */
function amazonsHost(baseURL: string): { region: string } | undefined {
  const { protocol, hostname } = new URL(baseURL);
  const region = amazonsPattern.exec(hostname)?.[1];
  return protocol === "https:" && region !== undefined ? { region } : undefined;
}

const amazonsPattern =
  /^(?:vpce-[a-z0-9-]+\.)?bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.com|amazonaws\.com\.cn|amazonaws\.eu|api\.aws)$/;
