import type { VendorRequest } from "../dialect.ts";
import { pathOf } from "../request-path.ts";

/** What a request to Gemini is about, which stands in its path. */
export type GooglePath = { modelId: string; method: string; isCloud: boolean };

const pattern =
  /\/v1(?:alpha|beta1?)?\/(projects\/[^/]+\/locations\/[^/]+\/)?(publishers\/google\/)?models\/([^/:]+):(\w+)$/;

/** Reads the path of a request, of the vendor's own interface or of its cloud platform. */
export function readGooglePath(request: VendorRequest): GooglePath | undefined {
  const found = pattern.exec(pathOf(request));
  if (found === null) return undefined;
  const [, , publisher, modelId = "", method = ""] = found;
  return { modelId: decodeURIComponent(modelId), method, isCloud: publisher !== undefined };
}

/** Whether a model is older than thought signatures and ids of calls. */
export function isOldGemini(modelId: string): boolean {
  return /gemini-[12]\b/.test(modelId);
}
