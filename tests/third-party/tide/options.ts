import { createLogger } from "@troupe/core";
import type { Logger, NetworkOptions } from "@troupe/core";
import {
  apiKeyOption,
  baseUrlOption,
  loggerOption,
  networkOptions,
  nonBlankString,
  optional,
  readOptions,
  timeoutMilliseconds,
} from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";

/** Options of `tide`. All have defaults. */
export type TideOptions = NetworkOptions & {
  /** The key for calls without their own, or a function that returns it for each call. @default `TIDE_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API. @default "https://api.tide.example" */
  baseURL?: string | undefined;
  /** Milliseconds to wait for a whole answer. @default 300_000 */
  timeoutMs?: number | undefined;
  /** Milliseconds that a stream may be silent. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /** Logger for what is left out of requests. @default silent */
  logger?: Logger | undefined;
};

/** The options of a model, with their defaults. */
export type ProviderSettings = {
  modelId: string;
  apiKey: TideOptions["apiKey"];
  network: NetworkOptions;
  baseURL: string;
  timeoutMs: number;
  idleTimeoutMs: number;
  logger: Logger;
};

const optionTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption, "https://api.tide.example"),
  timeoutMs: optional(timeoutMilliseconds, 300_000),
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  logger: optional(loggerOption),
  ...networkOptions,
} satisfies OptionTable<TideOptions>;

const where = { owner: "tide" };
const checkModelId = nonBlankString();

/** Checks the arguments of `tide` and adds the defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readModelOptions(modelId: string, options: TideOptions): ProviderSettings {
  const read = readOptions(optionTable, options, where);
  const { apiKey, logger = createLogger(), headers, fetch, proxy, dispatcher, ...settings } = read;
  return {
    ...settings,
    modelId: checkModelId(modelId, "modelId", where),
    apiKey,
    network: { headers, fetch, proxy, dispatcher },
    logger,
  };
}
