import { TroupeError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { getOwn } from "@troupe/core/kit";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { OfflineModel } from "@troupe-internal/offline-model";
import { findOllama } from "./find-ollama.ts";
import type { LocalModel } from "./find-ollama.ts";
import { readVariable } from "./read-variable.ts";
import type { Variables } from "./read-variable.ts";

/** A vendor of models. */
export type Vendor = {
  /**
   * Environment variables that may hold the vendor's key. A key in one of them selects this vendor. Empty for Ollama,
   * which needs no key, and for Google Cloud and Amazon Bedrock, which are used only by name.
   */
  readonly keys: readonly string[];
  /** The default model of the vendor. */
  readonly modelId: string;
  readonly model: (modelId: string, options?: { baseURL?: string }) => ModelProvider | Promise<ModelProvider>;
};

/** The vendors in the order in which their keys are looked up. */
export const vendors = {
  openai: { keys: ["OPENAI_API_KEY"], modelId: "gpt-6.1-sol", model: openai },
  anthropic: { keys: ["ANTHROPIC_API_KEY"], modelId: "claude-sonnet-5-5", model: anthropic },
  google: { keys: ["GOOGLE_API_KEY", "GEMINI_API_KEY"], modelId: "gemini-3.8-flash", model: google },
  ollama: { keys: [], modelId: "qwen3:8b", model: (id, options) => ollama(id, { contextLength: 16_384, ...options }) },
  vertex: { keys: [], modelId: "gemini-3.8-flash", model: loadVertex },
  bedrock: { keys: [], modelId: "us.amazon.nova-pro-v1:0", model: loadBedrock },
} as const satisfies Record<string, Vendor>;

type FindLocal = (variables: Variables) => Promise<LocalModel | undefined>;

/**
 * Chooses the model of the demo's agents. TROUPE_DEMO_MODEL, like `openai/gpt-6.1-sol`, has priority, with the address
 * TROUPE_DEMO_MODEL_URL if that is set. Then follow the first vendor with a key, an Ollama on this machine, which
 * `findLocal` looks for, and the offline model.
 */
export async function chooseModel(variables: Variables, findLocal: FindLocal = findOllama): Promise<ModelProvider> {
  const [wanted = "", baseURL = ""] = [variables["TROUPE_DEMO_MODEL"], variables["TROUPE_DEMO_MODEL_URL"]];
  if (baseURL !== "") checkUrl(baseURL, wanted);
  if (wanted !== "") return await namedModel(wanted, baseURL, variables);
  return (await modelByKey(variables)) ?? (await localModel(variables, findLocal)) ?? new OfflineModel();
}

async function namedModel(wanted: string, baseURL: string, variables: Variables): Promise<ModelProvider> {
  if (wanted === "offline") return new OfflineModel();
  const [vendorName = "", ...modelId] = wanted.split("/");
  const vendor = getOwn<Vendor>(vendors, vendorName);
  if (vendor === undefined) throw unknownModel();
  if (vendorName === "vertex") checkPlace(variables);
  return await vendor.model(modelId.join("/") || vendor.modelId, baseURL === "" ? {} : { baseURL });
}

/**
 * Imports the provider of Google Cloud, which is used only by name. It reads project, location and key at each call.
 */
async function loadVertex(modelId: string, options?: { baseURL?: string }): Promise<ModelProvider> {
  const { vertex } = await import("@troupe/providers-vertex");
  return vertex(modelId, options);
}

/** Imports the provider of Amazon Bedrock, which is used only by name. It reads region and credentials at each call. */
async function loadBedrock(modelId: string, options?: { baseURL?: string }): Promise<ModelProvider> {
  const { bedrock } = await import("@troupe/providers-bedrock");
  return bedrock(modelId, options);
}

/**
 * Rejects an invalid Google Cloud project or location when the server starts. The provider would reject it only at each
 * call.
 */
function checkPlace(variables: Variables): void {
  const project = { pattern: /^[a-z][\w.:-]*$/i, expected: "the id of a project, such as my-project" };
  const location = { pattern: /^[a-z][a-z\d-]*$/, expected: "the id of a location, such as europe-west4 or global" };
  readVariable(variables, "GOOGLE_CLOUD_PROJECT", project);
  readVariable(variables, "GOOGLE_CLOUD_LOCATION", location);
}

async function modelByKey(variables: Variables): Promise<ModelProvider | undefined> {
  const isSet = (name: string) => (variables[name] ?? "") !== "";
  const vendor = Object.values<Vendor>(vendors).find(({ keys }) => keys.some(isSet));
  return await vendor?.model(vendor.modelId);
}

async function localModel(variables: Variables, findLocal: FindLocal): Promise<ModelProvider | undefined> {
  const found = await findLocal(variables);
  return found && vendors.ollama.model(found.modelId, { baseURL: found.baseURL });
}

/**
 * Makes the error for a wrong TROUPE_DEMO_MODEL, without its value: that may be a key that was pasted into the wrong
 * variable.
 */
function unknownModel(): TroupeError {
  const names = Object.keys(vendors).join(", ");
  const sentence = `TROUPE_DEMO_MODEL names no vendor. Expected offline or one of ${names}, optionally with a model, like openai/gpt-6.1-sol.`;
  return new TroupeError("invalid_config", sentence);
}

/**
 * Rejects TROUPE_DEMO_MODEL_URL if no vendor is named or the URL is wrong. Does not show it, because it may contain a
 * user and a password.
 */
function checkUrl(baseURL: string, wanted: string): void {
  if (wanted === "" || wanted === "offline") {
    const sentence = "TROUPE_DEMO_MODEL_URL needs a vendor: set TROUPE_DEMO_MODEL to one.";
    throw new TroupeError("invalid_config", sentence);
  }
  if (/^https?:\/\//.test(baseURL) && URL.canParse(baseURL)) return;
  const sentence =
    "TROUPE_DEMO_MODEL_URL is no http: or https: URL. Expected one such as http://localhost:8000/v1, with its http://.";
  throw new TroupeError("invalid_config", sentence);
}
