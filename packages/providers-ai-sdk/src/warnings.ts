import type { Logger } from "@troupe/core";
import { cutText, getOwn, readObjects, readText } from "@troupe/core/kit";
import type { ReportRequestOmission } from "@troupe/core/provider";

/** Our names for settings that have other names in the AI SDK. */
const ownNames: Readonly<Record<string, string>> = {
  maxOutputTokens: "maxTokens",
  stopSequences: "stop",
};

const reasons: Readonly<Record<string, string>> = {
  unsupported: "the AI SDK's package does not support it for this model",
  "unsupported-setting": "the AI SDK's package does not support it for this model",
  compatibility: "the AI SDK's package uses it in a compatibility mode",
  deprecated: "the AI SDK's package calls it deprecated",
};

/**
 * Reports the warnings of a call as omissions, which a run emits as `run.warning`. A package's own text may quote the
 * request, so it only goes to the logger.
 */
export function reportWarnings(
  warnings: unknown,
  { reportOmitted, logger }: { reportOmitted: ReportRequestOmission; logger: Logger },
): void {
  for (const warning of readObjects(warnings)) {
    const feature = readText(warning["feature"]) || readText(warning["setting"]);
    const reason = getOwn(reasons, readText(warning["type"])) ?? "the AI SDK's package warns about it";
    const name = /^[\w .:'/-]{1,64}$/.test(feature) ? feature : "a setting";
    const words = readText(warning["details"]) || readText(warning["message"]);
    if (words !== "") logger.debug(`${name}: ${cutText(words, 200)}`);
    reportOmitted(getOwn(ownNames, name) ?? name, reason);
  }
}
