import { extname, join } from "node:path";
import type { Exchange } from "@troupe/core/transport";

/** A file of the docs: its media type and content. */
type DocsFile = { readonly type: string; readonly bytes: Buffer | string; readonly tag: string };

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
};

/** The files of Swagger UI in a folder. Each file is read on its first request. */
export class DocsFiles {
  readonly #folder: string;
  readonly #files = new Map<string, Promise<DocsFile>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async send(exchange: Exchange, name: string): Promise<void> {
    const reading = this.#files.get(name) ?? this.#read(name);
    this.#files.set(name, reading);
    sendDocsFile(exchange, await reading);
  }

  async #read(name: string): Promise<DocsFile> {
    // `node:fs/promises` is not imported statically: the import would slow the start of every server.
    const { readFile } = process.getBuiltinModule("node:fs/promises");
    try {
      return toDocsFile(types[extname(name)] ?? "application/octet-stream", await readFile(join(this.#folder, name)));
    } catch (error) {
      this.#files.delete(name);
      throw error;
    }
  }
}

/** Sends text that browsers revalidate on each request, so that it is never outdated after an upgrade. */
export function sendText(exchange: Exchange, type: string, text: string): void {
  sendDocsFile(exchange, toDocsFile(`${type}; charset=utf-8`, text));
}

function toDocsFile(type: string, bytes: Buffer | string): DocsFile {
  const digest = process.getBuiltinModule("node:crypto").hash("sha256", bytes, "base64url");
  return { type, bytes, tag: `"${digest.slice(0, 27)}"` };
}

function sendDocsFile(exchange: Exchange, { type, bytes, tag }: DocsFile): void {
  const headers = { "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff", ETag: tag };
  const known = exchange.headers["if-none-match"]?.split(",").map((each) => each.trim().replace(/^W\//, "")) ?? [];
  if (known.includes(tag) || known.includes("*")) return exchange.send(304, headers);
  exchange.send(200, { ...headers, "Content-Type": type, "Content-Length": Buffer.byteLength(bytes) }, bytes);
}
