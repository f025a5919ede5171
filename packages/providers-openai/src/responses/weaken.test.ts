import { expect, it } from "vitest";
import { weakenResponsesRules } from "./weaken.ts";

const asked = { reasoning: { summary: "auto" } };

it.each<[string, string | undefined, object, object | undefined]>([
  ["the refused summary", "reasoning.summary", asked, { reasoningSummary: false }],
  ["no other setting of reasoning", "reasoning.effort", asked, undefined],
  ["no other cause", undefined, asked, undefined],
  ["no summary that was not asked for", "reasoning.summary", { reasoning: { effort: "low" } }, undefined],
  ["nothing without reasoning", "reasoning.summary", {}, undefined],
])("leaves out %s", (_, ...[param, request, expected]) => {
  expect(weakenResponsesRules({ message: "No.", param, isOpenAI: true }, request)).toEqual(expected);
});
