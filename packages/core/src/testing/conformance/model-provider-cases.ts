import { modelAnswerCases } from "./model-answer-cases.ts";
import { modelFailureCases } from "./model-failure-cases.ts";
import { modelSignalCases } from "./model-signal-cases.ts";

/** What every `ModelProvider` promises, whatever its vendor does. */
export const modelProviderCases = { ...modelAnswerCases, ...modelFailureCases, ...modelSignalCases };
