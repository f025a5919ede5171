import type { Principal } from "@troupe/core/service";
import type { UploadedFile } from "./uploaded-file.ts";

/**
 * A file of the upload middleware `multer`, in memory (`buffer`) or on disk (`path`). Files of other middlewares with
 * these fields work too.
 */
export type MulterFile = {
  readonly mimetype: string;
  readonly originalname?: string | undefined;
  readonly buffer?: Uint8Array | undefined;
  readonly path?: string | undefined;
};

/**
 * The files that an upload middleware sets at `request.files` or `request.file`: an array, a single file, or arrays by
 * field name.
 */
export type RequestFiles =
  | readonly (UploadedFile | MulterFile)[]
  | UploadedFile
  | MulterFile
  | { readonly [field: string]: readonly (UploadedFile | MulterFile)[] };

/**
 * The fields of Express's request that the host's middlewares set: authentication sets `principal`, and
 * `createFileUploadMiddleware` sets `files`.
 */
interface RequestFields {
  /** The user that the host's authentication has established; undefined if no user is signed in. */
  principal?: Principal | undefined;
  /**
   * The files of an upload, readable until the request is answered. If `@types/multer` is installed, its type is used
   * instead.
   */
  files?: (keyof Express.Multer.File extends never ? UploadedFile[] : unknown) | undefined;
}

declare global {
  namespace Express {
    // The request inherits the fields, because the host or another middleware may declare narrower types, which two
    // direct declarations do not allow.
    interface Request extends RequestFields {}
    namespace Multer {
      // Empty unless `@types/multer` is installed, which adds members.
      interface File {}
    }
  }
}
