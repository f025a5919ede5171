import { isOpenAIHost } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/** A vendor, or a kind of server, that speaks one of OpenAI's APIs. */
export type Vendor = {
  /** The id of the provider. Errors contain it, and callers send their key under it. */
  readonly id: string;
  /** The URL of the API, with its version. Absent if it differs between customers. */
  readonly baseURL?: string;
  /** Environment variables for the key. The first that is set is used. */
  readonly environment: readonly string[];
  /** Returns true for a host of the vendor, to which a key from the environment may be sent. */
  readonly isOwnHost: (host: string) => boolean;
  /** True for servers that users run themselves, which may need no key. @default false */
  readonly isKeyOptional?: boolean;
  /** Rules of the vendor's models that differ from the rules that are found by model id and host. */
  readonly rules?: Partial<ModelRules>;
};

/** OpenAI itself. With `baseURL`, it also describes any other server. */
export const openaiVendor: Vendor = {
  id: "openai",
  baseURL: "https://api.openai.com/v1",
  environment: ["OPENAI_API_KEY"],
  isOwnHost: isOpenAIHost,
};
