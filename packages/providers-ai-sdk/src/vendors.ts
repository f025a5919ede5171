import { getOwn } from "@troupe/core/kit";

/** How the package of a vendor takes a key of one call, and settings that the AI SDK has no name for. */
type Vendor = {
  /** Returns the header that carries a key. Absent if the package signs its requests or sets the header last. */
  keyHeader?: (apiKey: string) => Readonly<Record<string, string>>;
  /** The name of its options in `providerOptions`. @default the vendor's id */
  optionsName?: string;
  /** Returns the option that limits a model to one tool call at a time. */
  oneCall?: object;
  /** Returns the options of calls with reasoning, without which the vendor does not show it. */
  shown?: (modelId: string) => object;
  /** Returns the options for a thinking budget in tokens. */
  budget?: (tokens: number) => object;
  /** True if the options have `reasoningEffort`, for models of specification v3. */
  hasEffort?: boolean;
  /** Options of each call, which `vendor` overrides. */
  always?: object;
  /** True if the package drops the tools, and all calls of the history, for the tool choice `none`. */
  dropsTools?: boolean;
  /** True if schemas are strict by default, which most schemas are not: the option is `strictJsonSchema`. */
  hasStrict?: boolean;
  /** Returns the option for the key of the vendor's prompt cache. */
  cacheKey?: (key: string) => object;
};

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
const anthropicBudget = (budgetTokens: number) => ({ thinking: { type: "enabled", budgetTokens } });

/** By vendor: what its package of the AI SDK needs besides the call options that all packages share. */
const vendors: Readonly<Record<string, Vendor>> = {
  openai: {
    keyHeader: bearer,
    oneCall: { parallelToolCalls: false },
    hasEffort: true,
    hasStrict: true,
    shown: () => ({ reasoningSummary: "auto" }),
    // Nothing is stored at the vendor; the reasoning comes back encrypted.
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
    // Earlier models have no adaptive thinking, and show theirs.
    shown: (modelId) =>
      /-(?:4-[6-9]|[5-9])(?:\D|$)/.test(modelId) ? { thinking: { type: "adaptive", display: "summarized" } } : {},
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

/** Returns what the package of a vendor needs. Empty for a vendor without an entry. */
export function vendorOf(providerId: string): Vendor {
  return getOwn(vendors, providerId) ?? none;
}

/**
 * Returns the vendor's id in the name of a provider of the AI SDK. Google's cloud and Amazon's have names that begin
 * like those of others.
 */
export function providerIdOf(provider: string): string {
  if (/^(?:google\.)?vertex\b/.test(provider)) return "vertex";
  if (/^bedrock\b/.test(provider)) return "amazon-bedrock";
  return provider.split(".")[0] || "ai-sdk";
}

/** Headers that may hold a credential. A caller's key replaces all of them. */
const credentials = ["authorization", "api-key", "x-api-key", "x-goog-api-key"];

/** Returns the headers that send a caller's key instead of the model's own; `undefined` if the package takes none. */
export function keyHeadersOf(providerId: string, apiKey: string): Record<string, string | undefined> | undefined {
  const header = vendorOf(providerId).keyHeader?.(apiKey);
  if (header === undefined) return undefined;
  return { ...Object.fromEntries(credentials.map((name) => [name, undefined])), ...header };
}
