import type { Omission } from "../model/omission.ts";
import type { Run } from "../run/run.ts";

/**
 * Returns the `onOmitted` for the model calls of a run: warns of each setting, and each kind of part, that a model does
 * not take, once in the run.
 */
export function warnOfOmissions(run: Pick<Run, "warn">): (omission: Omission) => void {
  let warned: Set<string> | undefined;
  return ({ what, reason, providerId, modelId }) => {
    const model = `${providerId}/${modelId}`;
    const message = `${what} was left out of a request to ${model}: ${reason.replace(/\.$/, "")}.`;
    if (warned?.has(message) === true) return;
    (warned ??= new Set()).add(message);
    run.warn("omitted_for_model", message, { vendor: providerId, model: modelId });
  };
}
