import type { RequestOmission } from "../../model/omission.ts";
import type { Run } from "../run/run.ts";

/**
 * The maximum number of reported options that an agent remembers, so that each is reported once. Further options may be
 * reported more than once.
 */
const mostRemembered = 1000;

/**
 * Returns the `onOmitted` callback for the model calls of a run. It warns about each unsupported option once for the
 * agent, and about each unsupported kind of message part once in the run.
 *
 * @param told the options that runs of the agent have already warned about
 */
export function warnOfOmissions(run: Pick<Run, "warn">, told: Set<string>): (omission: RequestOmission) => void {
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
