import type { ModelProviderOptions } from "@troupe/core";
import { baseUrlOption, nonBlankString, optional, timeoutOption } from "@troupe/core/kit";
import { modelProviderOptionTable, readProviderOptions } from "@troupe/core/provider";
import type { OptionTable } from "@troupe/core/kit";
import type { ProviderSettingsOf } from "@troupe/core/provider";

/** The id of this provider, which errors name and under which callers send its key. */
export const providerId = "tide";

/** Options of `tide`. All have defaults. The vendor has no library of its own, and its models have the same abilities. */
export type TideOptions = Omit<ModelProviderOptions<never, never>, "client" | "rules"> & {
  /** The key for calls without their own, or a function that returns it for each call. @default `TIDE_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API. @default "https://api.tide.example" */
  baseURL?: string | undefined;
  /** Milliseconds to wait for a whole answer. @default 300_000 */
  timeoutMs?: number | undefined;
};

const optionTable = {
  ...modelProviderOptionTable,
  baseURL: optional(baseUrlOption, "https://api.tide.example"),
  timeoutMs: optional(timeoutOption, 300_000),
} satisfies OptionTable<TideOptions>;

const checkModelId = nonBlankString();

/** The settings of a model that `readModelOptions` returns: checked options with their defaults. */
export type ProviderSettings = ProviderSettingsOf<typeof optionTable> & { modelId: string };

/** Checks the arguments of `tide` and adds the defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readModelOptions(modelId: string, options: TideOptions): ProviderSettings {
  checkModelId(modelId, "modelId", { owner: providerId });
  return { ...readProviderOptions(optionTable, options, { owner: providerId }), modelId };
}
