import type { ModelProvider } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { page } from "@troupe/page";
import { createHelper } from "./helper.ts";

/** Makes the service: what is served, and how it is spoken. */
export function createAgents(model?: ModelProvider) {
  const service = createService({ agents: { helper: createHelper(model) } });
  const suggestions = { helper: ["What should I take along to Oslo?"] };
  return { service, protocols: [http(), mcp(), page({ suggestions })] };
}
