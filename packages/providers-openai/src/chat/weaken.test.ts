import { expect, it } from "vitest";
import { weakenChatRules } from "./weaken.ts";

const refusal = { message: "response_format is unknown", param: undefined, isOpenAI: false };
const schema = { response_format: { type: "json_schema" } };

it.each<[string, object, object, object | undefined]>([
  ["a schema", {}, schema, { jsonSchema: false }],
  ["any object", {}, { response_format: { type: "json_object" } }, { jsonObject: false }],
  ["the parameter's name alone", { message: "no", param: "response_format.type" }, schema, { jsonSchema: false }],
  ["what OpenAI refuses", { isOpenAI: true }, schema, undefined],
  ["another cause", { message: "no", param: "tools" }, schema, undefined],
  ["a request without a format", {}, { model: "m" }, undefined],
])("weakens the format of an answer: %s", (_, ...[more, request, expected]) => {
  expect(weakenChatRules({ ...refusal, ...more }, request)).toEqual(expected);
});
