import { TroupeError } from "@troupe/core";
import { abortedError, findErrorCode, readEnvironment, untilAborted } from "@troupe/core/kit";
import { toModelError } from "@troupe/core/provider";
import { areCredentials, providerId } from "./options.ts";
import type { AwsCredentials, BedrockOptions } from "./options.ts";

type Chain = () => Promise<AwsCredentials>;

/** The names of the environment variables that hold AWS credentials. */
export const credentialVariables = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] as const;

/**
 * The AWS credentials of a provider: the credentials in the options, else in the environment, else from AWS's
 * credential chain. The chain is the package `@aws-sdk/credential-providers`, which is loaded when it is first needed
 * and caches what it finds.
 */
export class Credentials {
  readonly #given: BedrockOptions["credentials"];
  #chain: Promise<Chain> | undefined;

  constructor(given: BedrockOptions["credentials"]) {
    this.#given = given;
  }

  /** True if the options have credentials, so that no others are used. */
  get isGiven(): boolean {
    return this.#given !== undefined;
  }

  /** Returns the credentials for a call. Throws `unauthorized` if there are none. */
  async find(signal: AbortSignal | undefined): Promise<AwsCredentials> {
    if (typeof this.#given === "function") return await callForCredentials(this.#given, signal);
    return this.#given ?? readVariables() ?? (await this.#findInChain(signal));
  }

  async #findInChain(signal: AbortSignal | undefined): Promise<AwsCredentials> {
    const loading = (this.#chain ??= loadChain());
    try {
      const chain = await untilAborted(() => loading, signal);
      return await untilAborted(chain, signal);
    } catch (cause) {
      if (signal?.aborted) throw abortedError(signal.reason);
      // A failed import is tried again by the next call.
      this.#chain = undefined;
      throw noCredentials(cause);
    }
  }
}

async function callForCredentials(
  source: () => AwsCredentials | Promise<AwsCredentials>,
  signal: AbortSignal | undefined,
): Promise<AwsCredentials> {
  let found: unknown;
  try {
    found = await untilAborted(async () => await source(), signal);
  } catch (thrown) {
    throw toModelError(thrown, { providerId, signal });
  }
  if (areCredentials(found)) return found;
  throw new TroupeError(
    "invalid_config",
    "The function credentials must return an object with accessKeyId and secretAccessKey.",
  );
}

function readVariables(): AwsCredentials | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = [...credentialVariables, "AWS_SESSION_TOKEN"].map(
    (name) => readEnvironment(name)?.value,
  );
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const found = { accessKeyId, secretAccessKey, sessionToken };
  if (areCredentials(found)) return found;
  throw new TroupeError(
    "invalid_config",
    `${credentialVariables.join(", ")} and AWS_SESSION_TOKEN must be strings that a header can hold. Set them anew.`,
  );
}

async function loadChain(): Promise<Chain> {
  const { fromNodeProviderChain } = await import("@aws-sdk/credential-providers");
  return fromNodeProviderChain();
}

function noCredentials(cause: unknown): TroupeError {
  const isMissing = findErrorCode(cause) === "ERR_MODULE_NOT_FOUND";
  const chain = isMissing ? ", or install @aws-sdk/credential-providers for AWS's credential chain" : "";
  return new TroupeError(
    "unauthorized",
    `${providerId} found no credentials: send the header x-bedrock-api-key, pass apiKey or credentials, set AWS_BEARER_TOKEN_BEDROCK, or ${credentialVariables.join(" and ")}${chain}.`,
    { cause, fields: { vendor: providerId } },
  );
}
