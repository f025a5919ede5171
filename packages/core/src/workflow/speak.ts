import { AsyncQueue } from "../async/async-queue.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import type { Run } from "../run/run.ts";
import type { Audience } from "./audience.ts";
import { perform } from "./perform.ts";
import type { Performance } from "./perform.ts";
import type { StateRecord } from "./state-form.ts";
import { everyStep } from "./step.ts";

/**
 * Performs and streams what the last of all agent steps says, while it says it: nobody can speak after it. When that step
 * was not taken, the text that is the answer then comes as a whole.
 */
export async function* speak(
  run: Run<StateRecord>,
  performance: Performance,
): AsyncGenerator<StreamChunk, FinishReason> {
  const chunks = new AsyncQueue<StreamChunk>();
  const end = perform(run, performance, audienceOf(performance, chunks)).finally(() => chunks.close());
  end.catch(() => undefined);
  let finishReason: FinishReason = "stop";
  let said = "";
  for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
    if (chunk.type === "finish") {
      finishReason = chunk.finishReason;
      continue;
    }
    run.noteToken();
    if (chunk.type === "text") run.text = said += chunk.text;
    yield chunk;
  }
  await end;
  if (said === "") yield { type: "text", text: run.text };
  return finishReason;
}

function audienceOf({ steps }: Performance, chunks: AsyncQueue<StreamChunk>): Audience {
  const speaker = [...everyStep(steps)].findLast(({ kind }) => kind === "agent")?.name;
  return {
    hears: (step) => step === speaker,
    forgets: false,
    tell: (event) => (event.type === "chunk" ? chunks.push(event.chunk) : undefined),
  };
}
