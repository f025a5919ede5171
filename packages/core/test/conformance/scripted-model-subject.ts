import { ModelError } from "../../src/errors/model-error.ts";
import type { ModelFailure } from "../../src/errors/model-error.ts";
import type { ModelProvider } from "../../src/model/model-provider.ts";
import { ScriptedModel } from "../../src/testing/scripted-model.ts";
import type { ScriptedCall } from "../../src/testing/scripted-model.ts";
import { scriptedUsage } from "../../src/testing/scripted-turn.ts";
import type { ScriptedRequest, ScriptedTurn } from "../../src/testing/scripted-turn.ts";
import { serversKey } from "../../src/testing/conformance/model-scenarios.ts";
import type { ModelScenario } from "../../src/testing/conformance/model-scenarios.ts";
import type { ModelProviderSubject } from "../../src/testing/conformance/model-subject.ts";

type Ends = ReturnType<ModelProviderSubject["requests"]>[number]["end"];

const ends: Record<ScriptedCall["end"], Ends> = {
  running: "open",
  completed: "completed",
  failed: "broken",
  cancelled: "left",
  left: "left",
};

/** Returns a subject whose scenarios a scripted model answers as a correct provider would. */
export function scriptedModelSubject(
  change: (right: ModelProvider) => ModelProvider = (right) => right,
): ModelProviderSubject {
  const calls: ScriptedCall[][] = [];
  let callCount = 0;
  return {
    provider(scenario) {
      const model = new ScriptedModel((request) => toTurn(scenario, request, () => `call_${++callCount}`));
      calls.push(model.calls);
      return change(model);
    },
    requests: () => calls.flat().map(({ end }) => ({ end: ends[end] })),
  };
}

function toTurn(scenario: ModelScenario, request: ScriptedRequest, createId: () => string): ScriptedTurn {
  const { fault, failure } = scenario;
  const turn = answerOf(scenario, createId);
  if (failure !== undefined) return { ...(scenario.turn && turn), error: toError(request, failure) };
  if (fault === undefined) return turn;
  const said = fault.at === "before-headers" ? {} : { text: "word0 " };
  if (fault.kind !== "hang") return { ...said, error: toError(request, { networkCode: "ECONNRESET" }) };
  if (scenario.idleTimeoutMs !== undefined) return { ...said, error: toError(request, { networkCode: "ETIMEDOUT" }) };
  return fault.at === "before-headers" ? { hang: true } : { ...turn, chunkDelayMs: 600_000 };
}

function answerOf({ turn = {} }: ModelScenario, createId: () => string): Exclude<ScriptedTurn, string> {
  const usage = { ...(turn.usage ?? scriptedUsage), providerMetrics: { tokens: 1 } };
  return {
    ...turn,
    usage,
    ...(turn.toolCalls && { toolCalls: turn.toolCalls.map((call) => ({ ...call, id: createId() })) }),
  };
}

type Told = NonNullable<ModelScenario["failure"]> | Pick<ModelFailure, "networkCode">;

function toError({ options }: ScriptedRequest, told: Told): ModelError {
  const key = { value: options.apiKey ?? serversKey, fromCaller: options.apiKey !== undefined };
  if (!("status" in told)) return new ModelError({ providerId: "scripted", key, ...told });
  const retryAfterMs = told.retryAfterSeconds === undefined ? undefined : told.retryAfterSeconds * 1000;
  return new ModelError({ providerId: "scripted", key, status: told.status, retryAfterMs });
}
