import type { Agent, StorageDriver } from "@troupe/core";
import { vendors } from "../models/vendors.ts";
import { createAssistant } from "./assistant.ts";

/** The assistants' names, and who they think with. */
const assistants = {
  "openai-assistant": { vendor: vendors.openai, header: "x-openai-api-key" },
  "claude-assistant": { vendor: vendors.anthropic, header: "x-anthropic-api-key" },
  "gemini-assistant": { vendor: vendors.google, header: "x-google-api-key" },
};

/**
 * An assistant for each vendor. They are always there: a caller who brings a key talks to the vendor through a server that
 * has none, and without any key they say which header to send.
 */
export function createVendorAssistants(storage: StorageDriver): Record<string, Agent> {
  const entries = Object.entries(assistants).map(([name, { vendor, header }]) => {
    const note = ` Thinks with ${vendor.modelId}, for the server's key or the one in ${header}.`;
    return [name, createAssistant({ model: vendor.model(vendor.modelId), storage }, { name, note })] as const;
  });
  return Object.fromEntries(entries);
}
