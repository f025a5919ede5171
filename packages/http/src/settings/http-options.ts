import { optional, readOptions, wrongOption } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import type { Protocol, Service } from "@troupe/core/transport";
import { readUploadOptions } from "../uploads/upload-options.ts";
import type { FileUploadOptions, UploadRules } from "../uploads/upload-options.ts";
import { UploadReader } from "../uploads/upload-reader.ts";
import { readDocsOptions } from "./docs-options.ts";
import type { DocsOptions, DocsSettings } from "./docs-options.ts";

/** Options of {@link http}. */
export type HttpOptions = {
  /** Serves an OpenAPI document and a page to try it out. @default no docs */
  swagger?: DocsOptions | undefined;
  /**
   * Accepts files as `multipart/form-data` and as content parts of JSON, within these limits; `true` for the default
   * limits. @default false: files only as content parts, limited by the size of the body
   */
  fileUpload?: boolean | FileUploadOptions | undefined;
};

/** The service, its checked HTTP options, and the other protocols of the server. */
export type HttpParts = {
  readonly service: Service;
  /** All protocols that the server speaks, including this one. */
  readonly beside: readonly Protocol[];
  readonly docs: DocsSettings | undefined;
  readonly uploads: UploadReader | undefined;
  readonly maxBodyBytes: number;
};

const defaultBodyBytes = 1_048_576;

const httpOptions = {
  swagger: optional((value, path) => readDocsOptions(value, { path })),
  fileUpload: readFileUpload,
} satisfies OptionTable<HttpOptions>;

/** The checked options of the protocol, with defaults. */
export type HttpSettings = { readonly docs: DocsSettings | undefined; readonly uploadRules: UploadRules | undefined };

/** The names of the options that short forms such as `createAgentRouter` accept besides the options of a service. */
export const shortFormNames = [...Object.keys(httpOptions), "middleware"] as const;

/** Checks the options of HTTP and fills in their defaults. Throws `invalid_config` for a wrong or unknown option. */
export function readHttpOptions(options: HttpOptions, owner: string): HttpSettings {
  const { swagger, fileUpload } = readOptions(httpOptions, options, { owner });
  return { docs: swagger?.enabled === true ? swagger : undefined, uploadRules: fileUpload };
}

/** Makes the `HttpParts` of a service. */
export function partsOf(
  service: Service,
  { docs, uploadRules }: HttpSettings,
  beside: readonly Protocol[] = [],
): HttpParts {
  const { maxBodyBytes } = service.settings;
  // A limit that the host sets for all bodies also applies to bodies with files.
  const uploads =
    uploadRules && new UploadReader(uploadRules, maxBodyBytes === undefined ? defaultBodyBytes : undefined);
  return { service, beside, docs, uploads, maxBodyBytes: maxBodyBytes ?? defaultBodyBytes };
}

/** Reads the option `fileUpload`: `true` for the default limits, `false` for no uploads, or an object of limits. */
function readFileUpload(value: unknown, path: string): UploadRules | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return readUploadOptions({}, { path });
  if (typeof value === "object" && value !== null) return readUploadOptions(value, { path });
  throw wrongOption(path, "true, false or its options", value);
}
