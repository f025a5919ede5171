import { getOwn } from "@troupe/core/kit";

/**
 * The peculiarities of a vendor's package: where it accepts the key of one call, and options for settings that the AI
 * SDK lacks.
 */
type Vendor = {
  /** Returns the header that carries a key. Absent if the package signs its requests, or overwrites the header. */
  keyHeader?: (apiKey: string) => Readonly<Record<string, string>>;
  /** The key of the vendor's options in `providerOptions`. @default the vendor's id */
  optionsName?: string;
  /** The option that limits a model to one tool call at a time. */
  oneCall?: object;
  /** Returns the options without which the vendor does not return its reasoning. */
  shown?: (modelId: string) => object;
  /** Returns the option for a thinking budget in tokens. */
  budget?: (tokens: number) => object;
  /** True if the package has the option `reasoningEffort`, for models of specification v3. */
  hasEffort?: boolean;
  /** Options of every call, which the caller's `vendor` overrides. */
  always?: object;
  /**
   * True if this vendor's package of the AI SDK, for the tool choice `none`, drops the tools and all tool calls of the
   * history.
   */
  dropsTools?: boolean;
  /** True if the package treats schemas as strict unless `strictJsonSchema` is false. Most schemas are not strict. */
  hasStrict?: boolean;
  /** Returns the option for the key of the vendor's prompt cache. */
  cacheKey?: (key: string) => object;
};

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
const anthropicBudget = (budgetTokens: number) => ({ thinking: { type: "enabled", budgetTokens } });

/** The peculiarities of each vendor's package, besides the call options that all packages share. */
const vendors: Readonly<Record<string, Vendor>> = {
  openai: {
    keyHeader: bearer,
    oneCall: { parallelToolCalls: false },
    hasEffort: true,
    hasStrict: true,
    shown: () => ({ reasoningSummary: "auto" }),
    // Nothing is stored at the vendor, so the reasoning must be returned encrypted.
    always: { store: false },
    cacheKey: (promptCacheKey) => ({ promptCacheKey }),
  },
  azure: {
    hasStrict: true,
    optionsName: "openai",
    oneCall: { parallelToolCalls: false },
    hasEffort: true,
    always: { store: false },
  },
  anthropic: {
    keyHeader: (apiKey) => ({ "x-api-key": apiKey }),
    oneCall: { disableParallelToolUse: true },
    // Earlier models, such as claude-opus-4-5, have no adaptive thinking, and return their reasoning without an option.
    shown: (modelId) =>
      /(?<!\d)-(?:4-[6-9]|[5-9])(?:\D|$)/.test(modelId)
        ? { thinking: { type: "adaptive", display: "summarized" } }
        : {},
    budget: anthropicBudget,
  },
  google: {
    keyHeader: (apiKey) => ({ "x-goog-api-key": apiKey }),
    shown: () => ({ thinkingConfig: { includeThoughts: true } }),
    budget: (thinkingBudget) => ({ thinkingConfig: { thinkingBudget, includeThoughts: true } }),
  },
  "amazon-bedrock": {
    optionsName: "bedrock",
    dropsTools: true,
    budget: (budgetTokens) => ({ reasoningConfig: { type: "enabled", budgetTokens } }),
  },
  groq: { keyHeader: bearer, hasStrict: true, oneCall: { parallelToolCalls: false }, hasEffort: true },
  mistral: { keyHeader: bearer, oneCall: { parallelToolCalls: false } },
  xai: { keyHeader: bearer, oneCall: { parallelToolCalls: false }, hasEffort: true, always: { store: false } },
};

const none: Vendor = {};

/** Returns the peculiarities of a vendor's package; empty for an unlisted vendor. */
export function vendorOf(providerId: string): Vendor {
  return getOwn(vendors, providerId) ?? none;
}

/**
 * Returns the vendor id for the name of an AI SDK provider. Google Cloud and Amazon Bedrock have separate ids;
 * otherwise the id is the first part of the name.
 */
export function providerIdOf(provider: string): string {
  if (/^(?:google\.)?vertex\b/.test(provider)) return "vertex";
  if (/^bedrock\b/.test(provider)) return "amazon-bedrock";
  return provider.split(".")[0] || "ai-sdk";
}

/** Headers that may hold a credential. A caller's key replaces all of them. */
const credentials = ["authorization", "api-key", "x-api-key", "x-goog-api-key"];

/**
 * Returns the headers that send a caller's key instead of the model's own; `undefined` if the package has no such
 * header.
 */
export function keyHeadersOf(providerId: string, apiKey: string): Record<string, string | undefined> | undefined {
  const header = vendorOf(providerId).keyHeader?.(apiKey);
  if (header === undefined) return undefined;
  return { ...Object.fromEntries(credentials.map((name) => [name, undefined])), ...header };
}
