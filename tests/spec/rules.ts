import type { Rule } from "./rule.ts";
import { a2aRules } from "./rules/a2a.ts";
import { agentRules } from "./rules/agent.ts";
import { dataRules } from "./rules/data.ts";
import { driverRules } from "./rules/drivers.ts";
import { hostRules } from "./rules/host.ts";
import { httpRules } from "./rules/http.ts";
import { mcpRules } from "./rules/mcp.ts";
import { memoryRules } from "./rules/memory.ts";
import { providerRules } from "./rules/providers.ts";
import { runtimeRules } from "./rules/runtime.ts";
import { socketRules } from "./rules/socket.ts";
import { teamRules } from "./rules/team.ts";
import { toolkitRules } from "./rules/toolkits.ts";
import { workflowRules } from "./rules/workflow.ts";

/** The specification as a list. A test proves a rule by citing its id in its title: `it("… [retry.defaults]", …)`. */
export const rules: readonly Rule[] = [
  ...dataRules,
  ...runtimeRules,
  ...agentRules,
  ...memoryRules,
  ...teamRules,
  ...workflowRules,
  ...providerRules,
  ...driverRules,
  ...toolkitRules,
  ...httpRules,
  ...socketRules,
  ...a2aRules,
  ...mcpRules,
  ...hostRules,
];
