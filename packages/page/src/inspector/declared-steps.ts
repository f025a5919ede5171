import type { DeclaredStep } from "./inspected-run.ts";
import { toShownText } from "./shown-json.ts";

/** The maximum depth of workflows within workflows that are described. */
const deepest = 8;

/** The fields of a planned step that the inspector reads. A runnable of a third party may have any values. */
type Planned = {
  readonly name: string;
  readonly kind: string;
  readonly within?: string;
  readonly case?: string;
  readonly agent?: object;
};

/**
 * Returns the declared steps of a workflow, and of the workflows that its steps run: names and kinds, without
 * functions. Returns an empty array for an agent or a team.
 */
export function declaredStepsOf(runnable: object | undefined, depth = 0): DeclaredStep[] {
  const planned: unknown = runnable && "plannedSteps" in runnable ? runnable.plannedSteps : undefined;
  if (!Array.isArray(planned) || depth >= deepest) return [];
  return (planned as Planned[]).map((step) => {
    const { name, kind, within, case: key, agent } = step;
    const steps = declaredStepsOf(agent, depth + 1);
    const runnableName = agent && "name" in agent ? agent.name : undefined;
    return {
      name,
      kind,
      ...(within !== undefined && { within }),
      ...(key !== undefined && { case: toShownText(key) }),
      ...(typeof runnableName === "string" && { runnable: toShownText(runnableName) }),
      ...(steps.length > 0 && { steps }),
    };
  });
}
