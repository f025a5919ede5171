import { TroupeError } from "@troupe/core";
import type { EmbeddingProviderOptions, ModelProviderOptions } from "@troupe/core";
import {
  baseUrlOption,
  booleanOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  customOption,
  timeoutOption,
  wrongOption,
} from "@troupe/core/kit";
import { embeddingProviderOptionTable, modelProviderOptionTable, readProviderOptions } from "@troupe/core/provider";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";
import type { ProviderSettingsOf } from "@troupe/core/provider";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/** The id of this provider, which errors contain and under which callers send its key. */
export const providerId = "bedrock";

/** Credentials of AWS, with which requests are signed. Temporary credentials have a `sessionToken`. */
export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

/**
 * The option `promptCache`: `false`, or the time for which Bedrock keeps tools and instructions in its prompt cache.
 */
export type PromptCache = false | { ttl: "5m" | "1h" };

/** Options of models and embeddings that concern the access to Bedrock. */
type AccessOptions = {
  /**
   * The region of the model. @default the region in `baseURL`, else `AWS_REGION`, else `AWS_DEFAULT_REGION`, else the
   * region in the model's ARN
   */
  region?: string | undefined;
  /**
   * An API key of Bedrock for calls without their own key, or a function that returns it for each call. @default
   * `AWS_BEARER_TOKEN_BEDROCK`, read at each call, if there are no `credentials`
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Credentials of AWS that sign the requests, or a function that returns them for each call, such as a function of
   * `@aws-sdk/credential-providers`. @default `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`,
   * else the credential chain of AWS if `@aws-sdk/credential-providers` is installed
   */
  credentials?: AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>) | undefined;
  /** The URL of the API, without `/model`. @default the URL of Bedrock in the region */
  baseURL?: string | undefined;
};

/** Options of `bedrock`, which creates a model. All have defaults. */
export type BedrockOptions =
  // Bedrock fetches no URLs, and AWS's own client has another interface than the other vendors' clients.
  Omit<ModelProviderOptions<never, ModelRules>, "client" | "allowPrivateUrls"> &
    AccessOptions & {
      /**
       * Points up to which Bedrock caches the prompt, for models that accept them: `false` for none, or the time for which
       * tools and instructions stay in the cache. The last turns stay for 5 minutes. @default { ttl: "5m" }
       */
      promptCache?: PromptCache | undefined;
    };

/** Options of `bedrockEmbeddings`, which turns texts into vectors. All have defaults. */
export type BedrockEmbeddingsOptions = Omit<EmbeddingProviderOptions<never>, "client"> &
  AccessOptions & {
    /** The id of a model of Titan Text Embeddings or Cohere Embed. @default "amazon.titan-embed-text-v2:0" */
    model?: string | undefined;
    /** Milliseconds to wait for the answer to a request. @default 60_000 */
    timeoutMs?: number | undefined;
  };

const ruleTable = {
  thinking: optional(oneOf("adaptive", "budget", "effort", "always", "none")),
  sampling: optional(oneOf("both", "one", "none")),
  tools: optional(oneOf("streamed", "whole", "none")),
  toolChoice: optional(oneOf("named", "any", "none")),
  singleCalls: optional(booleanOption),
  callIds: optional(oneOf("long", "short")),
  systemPrompt: optional(booleanOption),
  images: optional(booleanOption),
  documents: optional(booleanOption),
  structuredOutput: optional(booleanOption),
  cachePoints: optional(oneOf("all", "prompt", "none")),
  plainSchemas: optional(booleanOption),
} satisfies OptionTable<ModelRules>;

/** Matches the ids of regions, which become parts of URLs. */
export const regionPattern = /^[a-z]+(?:-[a-z0-9]+)+$/;

const checkTtl = nested({ ttl: oneOf("5m", "1h") });

const { allowPrivateUrls: _, ...modelChecks } = modelProviderOptionTable;

const accessTable = {
  baseURL: optional(baseUrlOption),
  region: optional(
    customOption<string>("the id of a region", (value) => typeof value === "string" && regionPattern.test(value)),
  ),
  credentials: optional(
    customOption<NonNullable<BedrockOptions["credentials"]>>(
      "credentials with accessKeyId and secretAccessKey, or a function that returns them",
      (value) => typeof value === "function" || areCredentials(value),
    ),
  ),
};

const optionTable = {
  ...modelChecks,
  ...accessTable,
  promptCache: optional(checkPromptCache, { ttl: "5m" as const }),
  rules: optional(nested(ruleTable)),
} satisfies OptionTable<BedrockOptions>;

const embeddingsTable = {
  ...embeddingProviderOptionTable,
  ...accessTable,
  model: optional(nonBlankString(), "amazon.titan-embed-text-v2:0"),
  timeoutMs: optional(timeoutOption, 60_000),
} satisfies OptionTable<BedrockEmbeddingsOptions>;

const checkModelId = nonBlankString();

/** The settings of a model, returned by `readModelOptions`: the checked options with defaults, and all abilities. */
export type ProviderSettings = Omit<ProviderSettingsOf<typeof optionTable>, "rules"> & {
  modelId: string;
  rules: ModelRules;
  useEnvironmentKey: boolean;
};

/** Checks the arguments of `bedrock` and adds the defaults. Throws `invalid_config` for a wrong or unknown option. */
export function readModelOptions(modelId: string, options: BedrockOptions): ProviderSettings {
  checkModelId(modelId, "modelId", { owner: providerId });
  const { rules, ...settings } = readProviderOptions(optionTable, options, { owner: providerId });
  refuseTwoKeys(options, providerId);
  const useEnvironmentKey = options.useEnvironmentKey === true;
  return { ...settings, modelId, rules: rulesOf(modelId, rules), useEnvironmentKey };
}

/** The settings of embeddings, returned by `readEmbeddingsOptions`. */
export type EmbeddingsSettings = Omit<ProviderSettingsOf<typeof embeddingsTable>, "model"> & {
  modelId: string;
  useEnvironmentKey: boolean;
};

/** Checks the options of `bedrockEmbeddings` and adds the defaults. Throws `invalid_config` for a wrong option. */
export function readEmbeddingsOptions(options: BedrockEmbeddingsOptions): EmbeddingsSettings {
  const owner = "bedrockEmbeddings";
  const { model: modelId, ...settings } = readProviderOptions(embeddingsTable, options, { owner });
  refuseTwoKeys(options, owner);
  return { ...settings, modelId, useEnvironmentKey: options.useEnvironmentKey === true };
}

function refuseTwoKeys({ credentials, apiKey }: AccessOptions, owner: string): void {
  if (credentials === undefined || apiKey === undefined) return;
  throw new TroupeError("invalid_config", `${owner} takes credentials or apiKey, not both. Leave one out.`);
}

/** Returns true for an object with `accessKeyId` and `secretAccessKey`, and a valid `sessionToken` if there is one. */
export function areCredentials(value: unknown): value is AwsCredentials {
  if (typeof value !== "object" || value === null) return false;
  const { accessKeyId, secretAccessKey, sessionToken } = value as Partial<Record<keyof AwsCredentials, unknown>>;
  return isWord(accessKeyId) && isWord(secretAccessKey) && (sessionToken === undefined || isWord(sessionToken));
}

/** Returns true for a string that a header can hold. */
function isWord(value: unknown): boolean {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
}

function checkPromptCache(...[value, name, place]: Parameters<OptionCheck<unknown>>): PromptCache {
  if (value === false) return false;
  if (typeof value === "object" && value !== null) return checkTtl(value, name, place);
  throw wrongOption({ ...place, name }, 'false or { ttl: "5m" | "1h" }', value);
}
