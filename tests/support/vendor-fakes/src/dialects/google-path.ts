import type { VendorRequest } from "../dialect.ts";
import { pathOf } from "../request.ts";

/** Model, method and platform in the path of a request to Gemini. */
export type GooglePath = { modelId: string; method: string; isCloud: boolean };

const pattern =
  /\/v1(?:alpha|beta1?)?\/(projects\/[^/]+\/locations\/[^/]+\/)?(publishers\/google\/)?models\/([^/:]+):(\w+)$/;

/** Reads the path of a request to the Gemini API or to Google Cloud. */
export function readGooglePath(request: VendorRequest): GooglePath | undefined {
  const found = pattern.exec(pathOf(request));
  if (found === null) return undefined;
  const [, , publisher, modelId = "", method = ""] = found;
  return { modelId: decodeURIComponent(modelId), method, isCloud: publisher !== undefined };
}

/** Returns true for a model without thought signatures and call ids. */
export function isOldGemini(modelId: string): boolean {
  return /gemini-[12]\b/.test(modelId);
}
