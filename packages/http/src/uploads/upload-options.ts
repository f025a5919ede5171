import { constants } from "node:buffer";
import { checkCount, checkOptionNames, wrongOption } from "@troupe/core/adapter";

/** What clients may upload. */
export type FileUploadOptions = {
  /** The most bytes that one file may have. @default 52_428_800 */
  maxFileSize?: number;
  /** The most files of one upload. @default 10 */
  maxFiles?: number;
  /** The most bytes that all files of one upload may have together. @default maxFiles × maxFileSize */
  maxTotalSize?: number;
  /** The most bytes that a text field may have. @default 1_048_576 */
  maxFieldSize?: number;
  /** Types like `application/pdf` or `image/*`. @default any */
  allowedMimeTypes?: readonly string[];
};

/** The options of uploads when all is settled. */
export type UploadRules = {
  readonly maxFileSize: number;
  readonly maxFiles: number;
  readonly maxTotalSize: number;
  readonly maxFieldSize: number;
  /** In lower case; nothing when any type is taken. */
  readonly allowedMimeTypes: readonly string[] | undefined;
};

const optionNames = [
  "maxFileSize",
  "maxFiles",
  "maxTotalSize",
  "maxFieldSize",
  "allowedMimeTypes",
] as const satisfies (keyof FileUploadOptions)[];

/** A file becomes one text in base64, four characters for three bytes. */
const longestFile = Math.floor(constants.MAX_STRING_LENGTH / 4) * 3;

/** Takes the options of uploads and fills in what they leave open; a wrong or unknown one is `invalid_config`. */
export function readUploadOptions(options: FileUploadOptions, where: string): UploadRules {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw wrongOption(`The options of ${where}`, "an object", options);
  }
  checkOptionNames(options, optionNames, where);
  const maxFileSize = checkFileSize(options.maxFileSize ?? 52_428_800);
  const maxFiles = checkCount(options.maxFiles ?? 10, "maxFiles", 1);
  return {
    maxFileSize,
    maxFiles,
    maxTotalSize: checkCount(options.maxTotalSize ?? maxFiles * maxFileSize, "maxTotalSize", 1),
    maxFieldSize: checkCount(options.maxFieldSize ?? 1_048_576, "maxFieldSize", 1),
    allowedMimeTypes: readTypes(options.allowedMimeTypes),
  };
}

function checkFileSize(size: unknown): number {
  if (checkCount(size, "maxFileSize", 1) <= longestFile) return size as number;
  throw wrongOption(
    "maxFileSize",
    `at most ${longestFile}, for a larger file is no text that a model could be sent`,
    size,
  );
}

function readTypes(types: unknown): readonly string[] | undefined {
  if (types === undefined) return undefined;
  if (!Array.isArray(types) || types.length === 0) {
    throw wrongOption("allowedMimeTypes", 'a list like ["image/*", "application/pdf"], not empty', types);
  }
  return types.map((type: unknown, index) => {
    if (typeof type === "string" && /^[\w.+-]+\/(?:\*|[\w.+-]+)$/.test(type)) return type.toLowerCase();
    throw wrongOption(`allowedMimeTypes[${index}]`, 'a type without parameters, like "image/png" or "image/*"', type);
  });
}

/** Returns true if files of this type may be uploaded. */
export function isAllowedType(mimeType: string, { allowedMimeTypes }: Pick<UploadRules, "allowedMimeTypes">): boolean {
  if (allowedMimeTypes === undefined) return true;
  const family = `${mimeType.slice(0, mimeType.indexOf("/"))}/*`;
  return allowedMimeTypes.includes(mimeType) || allowedMimeTypes.includes(family);
}
