import type { Refusal } from "../dialect.ts";
import { objectOf, objectsIn, stringOrEmpty } from "../json-body.ts";
import { firstRefusal, refuseIf, refuseUnknown } from "./checks.ts";
import type { Checks } from "./checks.ts";

const knownFields = ["model", "content", "taskType", "title", "outputDimensionality"];
const mostRequests = 100;

/** Returns why Gemini would answer 400 to an embedding request. */
export function refuseGoogleBatch(body: unknown, modelId: string): Refusal | undefined {
  return firstRefusal(checks(objectOf(body), modelId));
}

function* checks(body: Record<string, unknown>, modelId: string): Checks {
  const requests = objectsIn(body["requests"]);
  yield refuseUnknown(body, ["requests"]);
  yield refuseIf(
    requests.length === 0 || requests.length > mostRequests,
    `* BatchEmbedContentsRequest.requests: at most ${mostRequests} requests can be in one batch, and at least one`,
  );
  for (const [index, request] of requests.entries()) {
    const at = `requests[${index}]`;
    const { parts } = objectOf(request["content"]);
    yield refuseUnknown(request, knownFields, `${at}.`);
    yield refuseIf(
      stringOrEmpty(request["model"]) !== `models/${modelId}`,
      `* BatchEmbedContentsRequest.${at}.model: must match the model of the batch`,
    );
    yield refuseIf(
      objectsIn(parts).every(({ text }) => stringOrEmpty(text) === ""),
      `* BatchEmbedContentsRequest.${at}: content is empty`,
    );
  }
}
