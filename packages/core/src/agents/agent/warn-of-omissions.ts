import type { Omission } from "../../model/omission.ts";
import type { Run } from "../run/run.ts";

/** The number of omissions that an agent remembers. Beyond it, they may be told once more. */
const mostRemembered = 1000;

/**
 * Returns the `onOmitted` for the model calls of a run: warns of each option that a model does not take once for the agent,
 * and of each kind of part in messages once in the run.
 *
 * @param told the options that runs of the agent have been told of
 */
export function warnOfOmissions(run: Pick<Run, "warn">, told: Set<string>): (omission: Omission) => void {
  let inRun: Set<string> | undefined;
  return ({ what, reason, providerId, modelId, isInMessages }) => {
    const model = `${providerId}/${modelId}`;
    const message = `${what} was left out of a request to ${model}: ${reason.replace(/\.$/, "")}.`;
    const before = isInMessages === true ? (inRun ??= new Set()) : told;
    if (before.has(message)) return;
    if (before.size === mostRemembered) before.clear();
    before.add(message);
    run.warn("omitted_for_model", message, { vendor: providerId, model: modelId });
  };
}
