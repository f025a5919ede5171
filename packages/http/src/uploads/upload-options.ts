import { constants } from "node:buffer";
import { arrayOf, integer, optional, readOptions, wrongOption } from "@troupe/core/kit";
import type { OptionContext } from "@troupe/core/transport";
import type { OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";

/**
 * Limits of an upload (one form with files): the options of `createFileUploadMiddleware`, and of the router as
 * `fileUpload`.
 */
export type FileUploadOptions = {
  /** The maximum size of a file in bytes. @default 52_428_800 */
  maxFileSize?: number | undefined;
  /** The maximum number of files in an upload. @default 10 */
  maxFiles?: number | undefined;
  /** The maximum size of all files of an upload together in bytes. @default maxFiles × maxFileSize */
  maxTotalSize?: number | undefined;
  /** The maximum size of a text field in bytes. @default 1_048_576 */
  maxFieldSize?: number | undefined;
  /** Types such as `application/pdf` or `image/*`, in any case. @default any */
  allowedMimeTypes?: readonly string[] | undefined;
};

/** A file becomes one string of base64, four characters for three bytes. */
const longestFile = Math.floor(constants.MAX_STRING_LENGTH / 4) * 3;

const mimeType: OptionCheck<string> = (value, name, where) => {
  if (typeof value === "string" && /^[\w.+-]+\/(?:\*|[\w.+-]+)$/.test(value)) return value.toLowerCase();
  throw wrongOption({ ...where, name }, 'a type without parameters, such as "image/png" or "image/*"', value);
};

const mimeTypes: OptionCheck<readonly string[]> = (value, name, where) => {
  const types = arrayOf("types", mimeType)(value, name, where);
  if (types.length > 0) return types;
  throw wrongOption({ ...where, name }, "an array of at least one type", value);
};

const uploadOptions = {
  maxFileSize: optional(integer(1, longestFile), 52_428_800),
  maxFiles: optional(integer(1), 10),
  maxTotalSize: optional(integer(1)),
  maxFieldSize: optional(integer(1), 1_048_576),
  allowedMimeTypes: optional(mimeTypes),
} satisfies OptionTable<FileUploadOptions>;

/** Checked limits of an upload with their defaults filled in: the result of {@link readUploadOptions}. */
export type UploadRules = Readonly<OptionsOf<typeof uploadOptions> & { maxTotalSize: number }>;

/** Checks the limits of an upload and fills in their defaults. A wrong or unknown option throws `invalid_config`. */
export function readUploadOptions(options: unknown, where: OptionContext): UploadRules {
  const rules = readOptions(uploadOptions, options, where);
  return { maxTotalSize: rules.maxFiles * rules.maxFileSize, ...rules };
}

/**
 * Returns true if `allowedMimeTypes` has this type (in lower case) or its family, such as `image/*`, or is undefined.
 */
export function isAllowedType(type: string, { allowedMimeTypes }: Pick<UploadRules, "allowedMimeTypes">): boolean {
  if (allowedMimeTypes === undefined) return true;
  const family = `${type.slice(0, type.indexOf("/"))}/*`;
  return allowedMimeTypes.includes(type) || allowedMimeTypes.includes(family);
}
