import type { ModelProvider } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { page } from "@troupe/page";
import { createHelper } from "./helper.ts";

/** Creates the service: the agents that it serves, and the protocols over which it serves them. */
export function createAgents(model?: ModelProvider) {
  const service = createService({ agents: { helper: createHelper(model) } });
  const suggestions = { helper: ["What should I take along to Oslo?"] };
  return { service, protocols: [http(), mcp(), page({ suggestions })] };
}
