import { ModelError } from "../../src/base/errors/model-error.ts";
import type { ModelFailure } from "../../src/base/errors/model-error.ts";
import type { ModelProvider } from "../../src/model/model-provider.ts";
import { ScriptedModel } from "../../src/testing/scripted-model.ts";
import type { ScriptedCall } from "../../src/testing/scripted-model.ts";
import { scriptedUsage } from "../../src/testing/scripted-answer.ts";
import type { ScriptedRequest, ScriptedAnswer } from "../../src/testing/scripted-answer.ts";
import { configuredApiKey } from "../../src/testing/conformance/model-scenarios.ts";
import type { ModelScenario } from "../../src/testing/conformance/model-scenarios.ts";
import type { ModelProviderSubject, VendorRequestOutcome } from "../../src/testing/conformance/model-subject.ts";

type Ends = VendorRequestOutcome["end"];

const ends: Record<ScriptedCall["end"], Ends> = {
  running: "open",
  completed: "completed",
  failed: "broken",
  cancelled: "abandoned",
  abandoned: "abandoned",
};

/** Returns a subject whose scenarios a scripted model answers as a correct provider would. */
export function scriptedModelSubject(
  change: (right: ModelProvider) => ModelProvider = (right) => right,
): ModelProviderSubject {
  const calls: ScriptedCall[][] = [];
  let callCount = 0;
  return {
    provider(scenario) {
      const model = new ScriptedModel((request) => toAnswer(scenario, request, () => `call_${++callCount}`));
      calls.push(model.calls);
      return change(model);
    },
    requests: () => calls.flat().map(({ end }) => ({ end: ends[end] })),
  };
}

function toAnswer(scenario: ModelScenario, request: ScriptedRequest, createId: () => string): ScriptedAnswer {
  const { fault, failure } = scenario;
  const answer = answerOf(scenario, createId);
  if (failure !== undefined) return { ...(scenario.answer && answer), error: toError(request, failure) };
  if (fault === undefined) return answer;
  const said = fault.at === "before-headers" ? {} : { text: "word0 " };
  if (fault.kind !== "hang") return { ...said, error: toError(request, { networkCode: "ECONNRESET" }) };
  if (scenario.idleTimeoutMs !== undefined) return { ...said, error: toError(request, { networkCode: "ETIMEDOUT" }) };
  return fault.at === "before-headers" ? { hang: true } : { ...answer, chunkDelayMs: 600_000 };
}

function answerOf({ answer = {} }: ModelScenario, createId: () => string): Exclude<ScriptedAnswer, string> {
  const usage = { ...(answer.usage ?? scriptedUsage), providerMetrics: { tokens: 1 } };
  return {
    ...answer,
    usage,
    ...(answer.toolCalls && { toolCalls: answer.toolCalls.map((call) => ({ ...call, id: createId() })) }),
  };
}

type Told = NonNullable<ModelScenario["failure"]> | Pick<ModelFailure, "networkCode">;

function toError({ options }: ScriptedRequest, told: Told): ModelError {
  const key = { value: options.apiKey ?? configuredApiKey, fromCaller: options.apiKey !== undefined };
  if (!("status" in told)) return new ModelError({ providerId: "scripted", key, ...told });
  const retryAfterMs = told.retryAfterSeconds === undefined ? undefined : told.retryAfterSeconds * 1000;
  return new ModelError({ providerId: "scripted", key, status: told.status, retryAfterMs });
}
