import { describe, it } from "vitest";
import { checkConformance } from "./check-conformance.ts";
import { modelProviderCases } from "./model-provider-cases.ts";
import { checkWrongSubjects } from "./wrong/check-wrong-subjects.ts";
import { scriptedModelSubject } from "./wrong/scripted-model-subject.ts";
import { wrongModelAnswers } from "./wrong/wrong-model-answers.ts";
import { wrongModelFailures, wrongModelSignals } from "./wrong/wrong-model-failures.ts";

describe("ScriptedModel", () => {
  checkConformance(it, modelProviderCases, { create: () => scriptedModelSubject() });
});

describe("the suite of model providers", () => {
  const wrong = { ...wrongModelAnswers, ...wrongModelFailures, ...wrongModelSignals };
  // At once: some wait in vain for what never comes.
  checkWrongSubjects(it.concurrent, modelProviderCases, wrong);
});
