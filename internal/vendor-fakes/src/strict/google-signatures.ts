import { signCall } from "../dialects/google-parts.ts";
import { objectOf, objectsIn, wordOf } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { isRecorded } from "../signature.ts";
import { refuseIf } from "./first-refusal.ts";
import type { Checks } from "./first-refusal.ts";

/** What stands in for a signature where there is none, because the call was another vendor's. */
const sentinel = "skip_thought_signature_validator";

/** The first call of each step of this turn brings its signature back; earlier turns are not looked at. */
export function* signatureChecks(contents: readonly JsonObject[]): Checks {
  const turnStart = contents.findLastIndex(isAsked);
  for (const [index, content] of contents.entries()) {
    const calls = objectsIn(content["parts"]).filter((part) => part["functionCall"] !== undefined);
    if (index < turnStart || calls[0] === undefined) continue;
    const { name, args } = objectOf(calls[0]["functionCall"]);
    const signature = wordOf(calls[0]["thoughtSignature"]);
    yield refuseIf(
      signature === "",
      `Function call \`${String(name)}\` in the ${index + 1}. content block is missing a \`thought_signature\`.`,
      `contents[${index}]`,
    );
    const isIssued = signature === sentinel || isRecorded(signature) || signature === signCall(String(name), args);
    yield refuseIf(!isIssued, "Corrupted thought signature.", `contents[${index}]`);
  }
}

/** Whether a content is the user's own, and not one of results. */
function isAsked({ role, parts }: JsonObject): boolean {
  return role === "user" && !objectsIn(parts).some((part) => part["functionResponse"] !== undefined);
}
