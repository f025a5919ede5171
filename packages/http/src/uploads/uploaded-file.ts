import type { KeptBytes } from "./kept-bytes.ts";

/** A file that a client has uploaded. It is there until its request has been answered. */
export interface UploadedFile {
  /** As the client named it, without folders and unseen characters, at most 255 characters. */
  readonly filename?: string;
  /** What the client says that it is, in lower case and without parameters; nobody has looked. */
  readonly mimeType: string;
  /** In bytes. */
  readonly size: number;
  /** The whole content: large files are on disk until then. */
  read(): Promise<Buffer>;
}

/** What a part's headers say of the file in it. */
export type FileFacts = Pick<UploadedFile, "filename" | "mimeType">;

/** An uploaded file with what it is kept in. */
export class KeptFile implements UploadedFile {
  declare readonly filename?: string;
  readonly mimeType: string;
  readonly #bytes: KeptBytes;

  constructor({ filename, mimeType }: FileFacts, bytes: KeptBytes) {
    if (filename !== undefined) this.filename = filename;
    this.mimeType = mimeType;
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.size;
  }

  async read(): Promise<Buffer> {
    return await this.#bytes.read();
  }
}
