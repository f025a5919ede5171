import type { Rule } from "./rule.ts";
import { a2aTaskRules } from "./rules/a2a-tasks.ts";
import { a2aWireRules } from "./rules/a2a-wire.ts";
import { interleavingRules } from "./rules/interleavings.ts";
import { remoteAgentRules } from "./rules/remote-agents.ts";
import { agentRules } from "./rules/agents.ts";
import { messageToolkitRules } from "./rules/message-toolkits.ts";
import { modelCallRules } from "./rules/model-calls.ts";
import { packageRules } from "./rules/packages.ts";
import { pageRules } from "./rules/page.ts";
import { reportRules } from "./rules/reports.ts";
import { resourceRules } from "./rules/resources.ts";
import { runLogRules } from "./rules/run-log.ts";
import { runtimeRules } from "./rules/runtime.ts";
import { storageRules } from "./rules/storage.ts";
import { testingRules } from "./rules/testing.ts";
import { toolkitRules } from "./rules/toolkits.ts";
import { mcpRules } from "./rules/mcp.ts";
import { transportRules } from "./rules/transports.ts";
import { webhookRules } from "./rules/webhooks.ts";

/** All rules of the specification and of what we promise beyond it. A test proves a rule by citing its id in its title: `it("… [retry.backoff]", …)`. */
export const rules: readonly Rule[] = [
  ...resourceRules,
  ...runtimeRules,
  ...agentRules,
  ...toolkitRules,
  ...modelCallRules,
  ...storageRules,
  ...runLogRules,
  ...webhookRules,
  ...transportRules,
  ...mcpRules,
  ...a2aTaskRules,
  ...a2aWireRules,
  ...remoteAgentRules,
  ...messageToolkitRules,
  ...pageRules,
  ...packageRules,
  ...interleavingRules,
  ...testingRules,
  ...reportRules,
];
