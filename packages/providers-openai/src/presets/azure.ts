import { TroupeError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { nonBlankString, optional, readOptions } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import { OpenAIModel } from "../openai-model.ts";
import { modelOptionTable, readVendorOptions } from "../options.ts";
import type { OpenAIOptions } from "../options.ts";
import type { Vendor } from "../vendor.ts";
import { endsWithHost } from "./hosts.ts";

/**
 * Options of `azure`: the options of `openai`, with the resource in place of a URL, and the model of the deployment.
 */
export type AzureOptions = OpenAIOptions & {
  /** The name of the resource in Azure. Needed without `baseURL` and `client`. @default none */
  resource?: string | undefined;
  /** The model of the deployment, such as `gpt-6.1-sol`, if its name does not reveal it. @default the deployment */
  family?: string | undefined;
};

const vendor: Vendor = {
  id: "azure",
  environment: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY"],
  isOwnHost: endsWithHost("openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com"),
};

const azureTable = {
  ...modelOptionTable,
  resource: optional(nonBlankString()),
  family: optional(nonBlankString()),
} satisfies OptionTable<AzureOptions>;

/**
 * Creates a model of a deployment of Azure OpenAI, over its version-free API. Throws `invalid_config` for wrong
 * options.
 */
export function azure(deployment: string, options: AzureOptions = {}): ModelProvider {
  const { resource, family, ...rest } = options;
  readOptions({ resource: azureTable.resource, family: azureTable.family }, { resource, family }, { owner: vendor.id });
  const baseURL = rest.baseURL ?? rest.client?.baseURL ?? urlOf(resource);
  return new OpenAIModel(readVendorOptions({ vendor, modelId: deployment, family }, { ...rest, baseURL }));
}

function urlOf(resource: string | undefined): string {
  if (resource !== undefined && /^[\w-]+$/.test(resource)) return `https://${resource}.openai.azure.com/openai/v1`;
  throw new TroupeError(
    "invalid_config",
    "azure needs the option resource, the name of the resource in Azure, or baseURL.",
  );
}
