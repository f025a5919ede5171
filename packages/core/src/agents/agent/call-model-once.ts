import type { CallIds } from "../../sessions/history/call-ids.ts";
import type { Journal } from "../journal/journal.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { callModel, recordCall } from "./call-model.ts";
import type { LoopPlan, PreparedCall } from "./loop-plan.ts";

/**
 * Makes a prepared model call as `callModel` does. In a durable run the response is a journal step: a later attempt
 * reads it from the journal, without chunks.
 *
 * @param callIds the ids of all tool calls in the conversation
 */
export function callModelOnce(
  plan: LoopPlan,
  prepared: PreparedCall,
  callIds: CallIds,
): AsyncGenerator<StreamChunk, ModelResponse> {
  const { journal } = plan.run;
  return journal === undefined ? callModel(plan, prepared, callIds) : callOnce(journal, plan, prepared, callIds);
}

/** The result of a model call in the journal: the response, and the run's thinking up to that response. */
type LoggedResponse = { readonly response: ModelResponse; readonly thinking: string };

// oxlint-disable-next-line max-params -- those of callModel, and the journal that it has found
async function* callOnce(
  journal: Journal,
  plan: LoopPlan,
  prepared: PreparedCall,
  callIds: CallIds,
): AsyncGenerator<StreamChunk, ModelResponse> {
  const { run } = plan;
  const key = `m/${prepared.index}`;
  const stored = journal.stored(key)?.value as LoggedResponse | undefined;
  if (stored === undefined) {
    const step = journal.begin(key);
    try {
      const response = yield* callModel(plan, { ...prepared, step }, callIds);
      step.done({ response, thinking: run.thinking } satisfies LoggedResponse, response.usage);
      return response;
    } finally {
      step.leave();
    }
  }
  const { response, thinking } = stored;
  for (const { id } of response.toolCalls) callIds.take(id);
  recordCall(run, prepared, { ...response, thinking });
  run.text = plan.structured === undefined ? response.text : "";
  return response;
}
