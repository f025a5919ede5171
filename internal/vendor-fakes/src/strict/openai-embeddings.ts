import type { Refusal } from "../dialect.ts";
import { objectOf, textOf } from "../json-body.ts";
import { firstRefusal, refuseIf, refuseUnknown } from "./first-refusal.ts";
import type { Checks } from "./first-refusal.ts";

const knownFields = ["input", "model", "encoding_format", "dimensions", "user"];
const mostTexts = 2048;

/** Why OpenAI would answer 400 to a request for embeddings. */
export function refuseOpenaiEmbeddings(body: unknown): Refusal | undefined {
  return firstRefusal(checks(objectOf(body)));
}

function* checks(body: Record<string, unknown>): Checks {
  const input = Array.isArray(body["input"]) ? (body["input"] as unknown[]) : [body["input"]];
  yield refuseUnknown(body, knownFields);
  yield refuseIf(textOf(body["model"]) === undefined, "you must provide a model parameter", "model");
  yield refuseIf(input.length === 0 || input.length > mostTexts, "'$.input' has a wrong number of texts.", "input");
  yield refuseIf(
    input.some((text) => textOf(text) === undefined || text === ""),
    "'$.input' is invalid: a text is empty.",
    "input",
  );
}
