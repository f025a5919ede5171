import { endsWithHost } from "./hosts.ts";
import type { Vendor } from "../vendor.ts";

/** Returns the entry of a vendor in the cloud, whose key is read from environment variables. */
function cloud(id: string, baseURL: string, environment: readonly string[]): Vendor {
  return { id, baseURL, environment, isOwnHost: endsWithHost(new URL(baseURL).hostname) };
}

/**
 * Returns the entry of a server that users run themselves. Such a server may need no key, and gets no key from the
 * environment.
 */
function local(id: string, baseURL: string, rules: Vendor["rules"] = {}): Vendor {
  return { id, baseURL, environment: [], isOwnHost: () => true, isKeyOptional: true, rules };
}

/**
 * The vendors and servers with a preset. The differences of their servers are in `model-rules.ts`, by host, so that
 * `openai` with such a `baseURL` finds them too. This table holds only differences that the host does not reveal. The
 * guide "Vendors by preset" has the source of each entry.
 */
export const vendors = {
  cerebras: cloud("cerebras", "https://api.cerebras.ai/v1", ["CEREBRAS_API_KEY"]),
  deepseek: cloud("deepseek", "https://api.deepseek.com", ["DEEPSEEK_API_KEY"]),
  fireworks: cloud("fireworks", "https://api.fireworks.ai/inference/v1", ["FIREWORKS_API_KEY"]),
  groq: cloud("groq", "https://api.groq.com/openai/v1", ["GROQ_API_KEY"]),
  llamacpp: local("llamacpp", "http://127.0.0.1:8080/v1", { toolChoice: "required" }),
  lmstudio: local("lmstudio", "http://127.0.0.1:1234/v1", { jsonObject: false }),
  mistral: cloud("mistral", "https://api.mistral.ai/v1", ["MISTRAL_API_KEY"]),
  openrouter: cloud("openrouter", "https://openrouter.ai/api/v1", ["OPENROUTER_API_KEY"]),
  together: cloud("together", "https://api.together.xyz/v1", ["TOGETHER_API_KEY"]),
  vllm: local("vllm", "http://127.0.0.1:8000/v1"),
  xai: cloud("xai", "https://api.x.ai/v1", ["XAI_API_KEY"]),
} satisfies Record<string, Vendor>;

/** The name of a preset, which is also the id of its provider. */
export type PresetName = keyof typeof vendors;
