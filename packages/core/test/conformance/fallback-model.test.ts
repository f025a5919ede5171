import { describe, it } from "vitest";
import { ModelError } from "../../src/base/errors/model-error.ts";
import { fallbackModel } from "../../src/model/fallback-model.ts";
import { checkConformance } from "../../src/testing/conformance/check-conformance.ts";
import { modelProviderCases } from "../../src/testing/conformance/model-provider-cases.ts";
import { ScriptedModel } from "../../src/testing/scripted-model.ts";
import { scriptedModelSubject } from "./scripted-model-subject.ts";

const gone = () =>
  new ScriptedModel().respond(() => ({ error: new ModelError({ providerId: "scripted", status: 404 }) }));
const empty = () => new ScriptedModel().respond(() => ({ text: "", finishReason: "error", usage: noTokens }));
const noTokens = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

describe("fallbackModel", () => {
  describe.each([
    ["whose first model is gone", gone],
    ["whose first model answers nothing", empty],
  ])("%s", (_which, first) => {
    checkConformance(it, modelProviderCases, {
      create: () => scriptedModelSubject((right) => fallbackModel(first(), right)),
    });
  });

  describe("within another one", () => {
    checkConformance(it, modelProviderCases, {
      create: () => scriptedModelSubject((right) => fallbackModel(fallbackModel(gone(), empty()), right)),
    });
  });
});
