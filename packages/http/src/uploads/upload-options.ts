import { integerOption, optional, readOptions } from "@troupe/core/kit";
import type { OptionsOf, OptionTable } from "@troupe/core/kit";
import { fileLimitOptions } from "@troupe/core/transport";
import type { OptionContext } from "@troupe/core/transport";

/**
 * Limits of an upload (a form with files): the options of `createFileUploadMiddleware`, and the router's `fileUpload`.
 */
export type FileUploadOptions = {
  /** Largest file in bytes. @default 52_428_800 */
  maxFileSize?: number | undefined;
  /** Largest number of files in an upload. @default 10 */
  maxFiles?: number | undefined;
  /** Largest total size of all files of an upload in bytes. @default maxFiles × maxFileSize */
  maxTotalSize?: number | undefined;
  /** Largest text field in bytes. @default 1_048_576 */
  maxFieldSize?: number | undefined;
  /** Accepted media types, such as `application/pdf` or `image/*`; case does not matter. @default any */
  allowedMimeTypes?: readonly string[] | undefined;
};

const uploadOptions = {
  maxFileSize: fileLimitOptions.maxFileSize,
  maxFiles: optional(integerOption(1), 10),
  maxTotalSize: optional(integerOption(1)),
  maxFieldSize: optional(integerOption(1), 1_048_576),
  allowedMimeTypes: fileLimitOptions.allowedMimeTypes,
} satisfies OptionTable<FileUploadOptions>;

/** The checked limits of an upload, with defaults. {@link readUploadOptions} makes them. */
export type UploadRules = Readonly<OptionsOf<typeof uploadOptions> & { maxTotalSize: number }>;

/**
 * Checks the limits of an upload and fills in their defaults. Throws `invalid_config` for a wrong or unknown option.
 */
export function readUploadOptions(options: unknown, where: OptionContext): UploadRules {
  const rules = readOptions(uploadOptions, options, where);
  return { maxTotalSize: rules.maxFiles * rules.maxFileSize, ...rules };
}
