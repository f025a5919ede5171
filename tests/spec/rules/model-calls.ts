import { rulesOf } from "../rule.ts";

/** Rules for what a run carries to its model calls: settings, steps, tools, limits and facts. */
export const modelCallRules = [
  ...rulesOf("Model settings", {
    "model-options.reach-model": "modelOptions of an agent, a team's orchestrator and a run reach the model",
    "model-options.precedence":
      "the run's settings go before the agent's modelOptions, these before temperature and reasoning",
    "model-options.undefined": "a setting that is undefined overrides nothing",
    "model-options.unknown": "an unknown setting is refused with the list of those expected",
    "model-options.format-and-schema": "responseFormat beside structuredOutput is invalid_config",
    "model-options.not-inherited": "a child run does not inherit the settings of a team's run",
    "model-options.workflow": "settings of a workflow's run hold for each of its agent steps",
    "model-options.team-mode": "settings without an effect in the mode of a team are refused",
    "tool-choice.first-call": "a forced tool choice holds for the first model call of a run only",
    "tool-choice.none": "with toolChoice none no tool is executed, also when the model calls one",
    "tool-choice.known": "a choice of a tool that is not there is refused",
    "tool-choice.vendors": "every provider sends a tool choice in its vendor's form, or says that the vendor has none",
  }),
  ...rulesOf("Run context", {
    "run-context.tenant": "the run context has the tenant of the run, which child runs inherit",
    "run-opts.limits": "limits of a run hold for agents, teams and workflows, before the configured ones",
    "run-opts.metadata-everywhere": "metadata of a run reaches the tools of team members and the steps of workflows",
  }),
  ...rulesOf("Results of tools (contracts §5)", {
    "tools.result-parts": "images and files of a tool reach models that take them; others get words in their place",
  }),
];
