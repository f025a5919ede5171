// A program that uses the entry points of @troupe/core for users and for tests, without Node's types.
import { TroupeError, getTextContent } from "@troupe/core";
import type { ChatMessage, ErrorCode, StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

function expectEqual<Value>(actual: Value, expected: Value): void {
  if (actual !== expected) throw new Error(`expected ${String(expected)}, got ${String(actual)}`);
}

// If declarations did not resolve, everything would be `any`, and these errors would not occur.
// @ts-expect-error A code that does not exist.
export const code: ErrorCode = "out_of_coffee";
// @ts-expect-error A chunk that does not exist.
export const chunk: StreamChunk = { type: "smell", text: "coffee" };

const question: ChatMessage = { role: "user", content: [{ type: "text", text: "What is the weather like in Oslo?" }] };
expectEqual(getTextContent(question.content), "What is the weather like in Oslo?");

const model = new ScriptedModel("Take an umbrella.");
const answer = await model.generate([question]);
expectEqual(answer.text, "Take an umbrella.");

// The script has come to its end, so the model has no second answer.
const failure: unknown = await model.generate([question]).catch((error: unknown) => error);
expectEqual(TroupeError.is(failure), true);
