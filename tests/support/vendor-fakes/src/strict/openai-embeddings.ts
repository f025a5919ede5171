import type { Refusal } from "../dialect.ts";
import { objectOf, stringOf } from "../json-body.ts";
import { firstRefusal, refuseIf, refuseUnknown } from "./checks.ts";
import type { Checks } from "./checks.ts";

const knownFields = ["input", "model", "encoding_format", "dimensions", "user"];
const mostTexts = 2048;

/** Returns why OpenAI would answer 400 to an embedding request. */
export function refuseOpenaiEmbeddings(body: unknown): Refusal | undefined {
  return firstRefusal(checks(objectOf(body)));
}

function* checks(body: Record<string, unknown>): Checks {
  const input = Array.isArray(body["input"]) ? (body["input"] as unknown[]) : [body["input"]];
  yield refuseUnknown(body, knownFields);
  yield refuseIf(stringOf(body["model"]) === undefined, "you must provide a model parameter", "model");
  yield refuseIf(input.length === 0 || input.length > mostTexts, "'$.input' has a wrong number of texts.", "input");
  yield refuseIf(
    input.some((text) => stringOf(text) === undefined || text === ""),
    "'$.input' is invalid: a text is empty.",
    "input",
  );
}
