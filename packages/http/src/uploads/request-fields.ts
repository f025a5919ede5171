import type { Principal } from "@troupe/core/transport";
import type { UploadedFile } from "./uploaded-file.ts";

/**
 * A file of the upload middleware `multer`, in memory (`buffer`) or on disk (`path`). Other middlewares that set these
 * fields do as well.
 */
export type MulterFile = {
  readonly mimetype: string;
  readonly originalname?: string | undefined;
  readonly buffer?: Uint8Array | undefined;
  readonly path?: string | undefined;
};

/**
 * The files of a request, as an upload middleware puts them at `request.files` or `request.file`: an array, one file, or
 * arrays by the names of their fields.
 */
export type RequestFiles =
  | readonly (UploadedFile | MulterFile)[]
  | UploadedFile
  | MulterFile
  | { readonly [field: string]: readonly (UploadedFile | MulterFile)[] };

/** The fields of Express's request that middlewares of a host set: its authentication, and `createFileUploadMiddleware`. */
interface RequestFields {
  /** The user that the host's authentication has established; undefined if nobody is signed in. */
  principal?: Principal | undefined;
  /** The files of an upload, until the request is answered. Where `@types/multer` is installed, its type stands instead. */
  files?: (keyof Express.Multer.File extends never ? UploadedFile[] : unknown) | undefined;
}

declare global {
  namespace Express {
    // Inherited: a declaration of the host or of another middleware may be narrower, where a second one had to be the same.
    interface Request extends RequestFields {}
    namespace Multer {
      // Has members only where `@types/multer` is installed.
      interface File {}
    }
  }
}
