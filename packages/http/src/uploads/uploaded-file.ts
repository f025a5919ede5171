import { TempFile } from "./temp-file.ts";

/**
 * A file that a client uploaded in a form, as `createFileUploadMiddleware` sets it at `request.files`. It can be read
 * until its request has been answered.
 */
export interface UploadedFile {
  /** The file name that the client sent, without folders and invisible characters, at most 255 characters. */
  readonly filename?: string;
  /**
   * The media type that the client sent, in lower case and without parameters; the content is not checked. If it is
   * missing or `application/octet-stream`, the type is guessed from the first bytes.
   */
  readonly mimeType: string;
  /** The size of the file in bytes. */
  readonly size: number;
  /** Reads the whole content of the file. Large files stay on disk until then. */
  read(): Promise<Buffer>;
}

/** The name and type in the headers of an uploaded file's part, known before its content. */
export type FileHeaders = { readonly filename?: string; readonly mimeType: string | undefined };

/** The bytes that all files of one upload may hold in memory. Taken bytes are never given back. */
export class MemoryBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes bytes from the memory budget. Returns false, and takes no bytes, if too few are left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** An uploaded file, written as it arrives: in memory while the budget allows it, then in a temporary file. */
export class SpooledFile implements UploadedFile {
  declare readonly filename?: string;
  /** The media type, set from the first bytes if the headers name no type, or only `application/octet-stream`. */
  mimeType: string;
  readonly #budget: MemoryBudget;
  #pieces: Buffer[] = [];
  #tempFile: TempFile | undefined;
  #size = 0;

  constructor({ filename, mimeType }: FileHeaders, budget: MemoryBudget) {
    if (filename !== undefined) this.filename = filename;
    this.mimeType = mimeType ?? "application/octet-stream";
    this.#budget = budget;
  }

  get size(): number {
    return this.#size;
  }

  async append(piece: Buffer): Promise<void> {
    this.#size += piece.length;
    if (this.#tempFile === undefined && this.#budget.take(piece.length)) {
      this.#pieces.push(piece);
      return;
    }
    this.#tempFile ??= await this.#moveToDisk();
    await this.#tempFile.append(piece);
  }

  async read(): Promise<Buffer> {
    return this.#tempFile === undefined ? Buffer.concat(this.#pieces) : await this.#tempFile.read(this.#size);
  }

  /** Removes the temporary file of the upload, if there is any. */
  async discard(): Promise<void> {
    await this.#tempFile?.remove();
  }

  async #moveToDisk(): Promise<TempFile> {
    const file = await TempFile.create();
    this.#tempFile = file;
    const pieces = this.#pieces;
    this.#pieces = [];
    await file.append(Buffer.concat(pieces));
    return file;
  }
}
