import { describe, it } from "vitest";
import { checkConformance } from "../../src/testing/conformance/check-conformance.ts";
import { modelProviderCases } from "../../src/testing/conformance/model-provider-cases.ts";
import { checkWrongSubjects } from "./check-wrong-subjects.ts";
import { scriptedModelSubject } from "./scripted-model-subject.ts";
import { wrongModelAnswers } from "./wrong-model-answers.ts";
import { wrongModelFailures, wrongModelSignals } from "./wrong-model-failures.ts";

describe("ScriptedModel", () => {
  checkConformance(it, modelProviderCases, { create: () => scriptedModelSubject() });
});

describe("the suite of model providers", () => {
  const wrong = { ...wrongModelAnswers, ...wrongModelFailures, ...wrongModelSignals };
  // Concurrent, because some cases end by their timeout.
  checkWrongSubjects(it.concurrent, modelProviderCases, wrong);
});
