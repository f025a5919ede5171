import { TroupeError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { getOwn } from "@troupe/core/adapter";
import { OfflineModel } from "../offline-model/offline-model.ts";
import { vendors } from "./vendors.ts";
import type { Vendor } from "./vendors.ts";

/** What is asked of the environment: names of variables and what they are set to. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The model that the demo's agents use: the one that TROUPE_DEMO_MODEL names, like `openai/gpt-6.1-sol`, at TROUPE_DEMO_MODEL_URL
 * if that is set; else a model of the first vendor whose key is in the environment; else the offline model.
 */
export function chooseModel(variables: Variables): ModelProvider {
  const [wanted = "", baseURL = ""] = [variables["TROUPE_DEMO_MODEL"], variables["TROUPE_DEMO_MODEL_URL"]];
  const [vendorName = "", ...modelId] = wanted.split("/");
  if (baseURL !== "") checkUrl(baseURL, wanted);
  if (wanted === "offline") return new OfflineModel();
  if (wanted === "") return modelByKey(variables);
  const vendor = getOwn<Vendor>(vendors, vendorName);
  if (vendor === undefined) throw unknownModel(wanted);
  return vendor.model(modelId.join("/") || vendor.modelId, baseURL === "" ? {} : { baseURL });
}

function modelByKey(variables: Variables): ModelProvider {
  const isSet = (name: string) => (variables[name] ?? "") !== "";
  const vendor = Object.values<Vendor>(vendors).find(({ keys }) => keys.some(isSet));
  return vendor === undefined ? new OfflineModel() : vendor.model(vendor.modelId);
}

function unknownModel(wanted: string): TroupeError {
  const names = Object.keys(vendors).join(", ");
  const sentence = `TROUPE_DEMO_MODEL must be offline or one of ${names}, which a slash and a model may follow, like openai/gpt-6.1-sol; not ${JSON.stringify(wanted)}.`;
  return new TroupeError("invalid_config", sentence);
}

function checkUrl(baseURL: string, wanted: string): void {
  if (wanted === "" || wanted === "offline") {
    const sentence = "TROUPE_DEMO_MODEL_URL is for a vendor's model: name one in TROUPE_DEMO_MODEL.";
    throw new TroupeError("invalid_config", sentence);
  }
  if (/^https?:\/\//.test(baseURL) && URL.canParse(baseURL)) return;
  const sentence = `TROUPE_DEMO_MODEL_URL must be an http: or https: address, not ${JSON.stringify(baseURL)}.`;
  throw new TroupeError("invalid_config", sentence);
}
