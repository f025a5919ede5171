import { TempFile } from "./temp-file.ts";

/**
 * A file that a client uploaded in a form, as `createFileUploadMiddleware` puts it at `request.files`. It can be read
 * until its request has been answered.
 */
export interface UploadedFile {
  /** The client's name for the file, without folders and invisible characters, at most 255 characters. */
  readonly filename?: string;
  /**
   * The client's claim, in lower case and without parameters; the content is not checked. Without a claim, or with
   * `application/octet-stream`, the type by the first bytes, else `application/octet-stream`.
   */
  readonly mimeType: string;
  /** In bytes. */
  readonly size: number;
  /** Reads the whole content. Large files are on disk until then. */
  read(): Promise<Buffer>;
}

/** The name and type of an uploaded file that the headers of its part name: known before its content. */
export type FileHeaders = { readonly filename?: string; readonly mimeType: string | undefined };

/** The bytes that all files of one upload may hold in memory together. Taken bytes are not given back. */
export class MemoryBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes bytes out of the budget. Returns false, and takes none, if fewer are left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/**
 * An uploaded file, written while it comes in: in memory while the budget allows it, in a temporary file from then on.
 */
export class SpooledFile implements UploadedFile {
  declare readonly filename?: string;
  /** Set from the first bytes where the headers name none, or one that says nothing. */
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

  /** Removes the temporary file, if there is one. */
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
