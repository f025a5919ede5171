import { satisfying } from "../errors/option-checks.ts";
import type { OptionCheck } from "../errors/read-options.ts";
import { isApiKey, maxKeyLength } from "../keys/api-keys.ts";

/** Check of the option `apiKey` of a model provider: a string of 1 to 16,384 visible ASCII characters without spaces. */
export const apiKeyOption: OptionCheck<string> = satisfying(
  `a string of 1 to ${maxKeyLength} visible ASCII characters without spaces`,
  isApiKey,
);

/** Check of the option `baseURL` of a model provider: an http: or https: URL without credentials, query or fragment. */
export const baseUrlOption: OptionCheck<string> = satisfying(
  "an http: or https: address without credentials, query or fragment",
  (value) => {
    const url = typeof value === "string" ? URL.parse(value) : null;
    const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
    return isWeb && [url.username, url.password, url.search, url.hash].every((part) => part === "");
  },
);
