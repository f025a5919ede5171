import type { Request } from "express";
import type { Busboy } from "busboy";
import { mostFields } from "./form.ts";
import { refuse } from "./refusals.ts";
import type { UploadRules } from "./upload-options.ts";

/** Whether a request carries a form with files. */
export function isForm({ headers }: Pick<Request, "headers">): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(headers["content-type"] ?? "");
}

/** The most bytes of a form: what it may hold, and the 16 KiB that busboy lets the headers of each part have. */
export function longestForm({ maxFiles, maxTotalSize, maxFieldSize }: UploadRules): number {
  return maxTotalSize + mostFields * maxFieldSize + mostParts(maxFiles) * 16_384;
}

/** Begins to read a form. busboy is loaded with the first one. */
export async function openParser({ headers }: Request, { maxFiles, maxFieldSize }: UploadRules): Promise<Busboy> {
  const { default: busboy } = await import("busboy");
  // It says that it has reached a limit, and not that it was passed: so one more of each. Files and fields are counted elsewhere.
  const limits = { fieldSize: maxFieldSize + 1, parts: mostParts(maxFiles) + 1 };
  try {
    return busboy({ headers, limits, defParamCharset: "utf8" });
  } catch {
    throw refuse("Content-Type must name the boundary of the form, like multipart/form-data; boundary=x.");
  }
}

function mostParts(maxFiles: number): number {
  return maxFiles + mostFields;
}
