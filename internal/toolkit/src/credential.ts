import { TroupeError } from "@troupe/core";
import { readEnvironment, untilAborted } from "@troupe/core/kit";
import { embeddingProviderOptionTable } from "@troupe/core/provider";
import type { ApiKeySource, OptionCheck } from "@troupe/core/kit";
import { serviceError } from "./service-error.ts";

/** Checks an option for a credential: a string that fits into a header, or a function that returns one. */
export const credentialOption: OptionCheck<ApiKeySource | undefined> = embeddingProviderOptionTable.apiKey;

/** Sources of a credential: the option, else the first environment variable that is set. */
export type CredentialSources = {
  service: string;
  /** The name of the option for the credential, for errors. */
  option: string;
  given: ApiKeySource | undefined;
  /** Names of environment variables that may have the credential. */
  environment: readonly string[];
  signal?: AbortSignal | undefined;
};

/**
 * Returns the credential for one tool call. For each call the function is called, or the environment is read. Rejects
 * with `unauthorized` if there is no credential, or the function fails; with `invalid_config` if the value does not fit
 * into a header. Messages never show a value.
 */
export async function readCredential(sources: CredentialSources): Promise<string> {
  const { service, option, given, environment, signal } = sources;
  if (given !== undefined) {
    const value = typeof given === "function" ? await callFor(given, sources) : given;
    return checkValue(value, `${option} of ${service}`);
  }
  signal?.throwIfAborted();
  const found = readEnvironment(...environment);
  if (found !== undefined) return checkValue(found.value, `the environment variable ${found.name}`);
  const ways = [`pass ${option}`, ...environment.map((name) => `set ${name}`)];
  const listed = ways.length < 2 ? ways.join("") : `${ways.slice(0, -1).join(", ")} or ${ways.at(-1)}`;
  const advice = `It has to be configured: ${listed}.`;
  throw serviceError(service, {
    problem: "credential_missing",
    happened: `needs a credential, and there is none`,
    advice,
  });
}

async function callFor(source: () => string | Promise<string>, { service, option, signal }: CredentialSources) {
  try {
    return await untilAborted(async () => await source(), signal);
  } catch (error) {
    if (signal?.aborted === true) throw error;
    // An error of a credential function is not passed on, because it may quote a token.
    const happened = `cannot be asked, because the function ${option} failed`;
    throw serviceError(service, { problem: "credential_missing", happened, advice: "Mend the function." });
  }
}

function checkValue(value: unknown, where: string): string {
  if (typeof value === "string" && /^[!-~]{1,16384}$/.test(value)) return value;
  throw new TroupeError(
    "invalid_config",
    `The credential in ${where} must be 1 to 16384 visible ASCII characters without spaces.`,
  );
}
