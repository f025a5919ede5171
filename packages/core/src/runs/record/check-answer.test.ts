import { expect, it } from "vitest";
import { checkAnswer } from "./answers.ts";

type Wait = Parameters<typeof checkAnswer>[0];

const approval: Wait = { kind: "approval", argsSchema: { type: "object", properties: { n: { type: "number" } } } };

it.each<[Wait["kind"], object]>([
  ["approval", { approved: true }],
  ["approval", { approved: true, args: { n: 1 } }],
  ["approval", { approved: false }],
  ["input", { result: null }],
  ["input", { error: "No." }],
  ["doubt", { choice: "happened", result: null }],
  ["doubt", { choice: "again" }],
  ["doubt", { choice: "giveUp" }],
])("an answer to a wait for %s is taken: %j", (kind, answer) => {
  expect(checkAnswer(kind === "approval" ? approval : { kind }, answer)).toMatchObject(answer);
});

it.each<[Wait["kind"], unknown, RegExp]>([
  ["approval", { approved: false, args: { n: 1 } }, /args must be left out/],
  ["approval", { approved: true, args: { n: "é" } }, /do not fit the tool/],
  ["input", {}, /either result, any JSON value, or error/],
  ["input", { result: 1, error: "No." }, /either result, any JSON value, or error/],
  ["doubt", { choice: "happened" }, /goes with the choice "happened"/],
  ["doubt", { choice: "again", result: 1 }, /goes with the choice "happened"/],
  ["doubt", { choice: "giveUp", result: 1 }, /goes with the choice "happened"/],
  ["doubt", { result: 1 }, /choice/],
])("an answer to a wait for %s is refused: %j", (kind, answer, message) => {
  const check = () => checkAnswer(kind === "approval" ? approval : { kind }, answer);
  expect(check).toThrow(expect.objectContaining({ message: expect.stringMatching(message) }));
});
