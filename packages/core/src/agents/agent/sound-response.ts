import type { ModelProvider } from "../../model/model-provider.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { describeUsageProblem } from "../../model/normalize-usage.ts";
import type { Run } from "../run/run.ts";
import { normalizeResponse } from "./normalize-response.ts";
import type { NormalResponse } from "./normalize-response.ts";

/**
 * Returns a model's response in normal form, as `normalizeResponse` does. Warns about reported values that the run
 * cannot store.
 */
export function soundResponse(
  response: ModelResponse,
  run: Pick<Run, "warnOnce">,
  model: ModelProvider,
): NormalResponse {
  const normal = normalizeResponse(response);
  const { providerId: vendor, modelId } = normal.answeredBy ?? model;
  const problem = describeUsageProblem(response.usage, normal.usage);
  if (problem !== undefined) {
    const message = `The usage that ${vendor}/${modelId} reported ${problem}.`;
    run.warnOnce("usage_unsound", message, { vendor, model: modelId });
  }
  if (response.vendorState !== undefined && normal.vendorState === undefined) {
    const message = `What ${vendor}/${modelId} wants back with the next model call cannot be kept. It is left out.`;
    run.warnOnce("state_left_out", message, { vendor, model: modelId });
  }
  return normal;
}
