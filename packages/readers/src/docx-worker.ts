import type mammoth from "mammoth";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { packParts, TooLargeError, unpackParts } from "./zip-parts.ts";
import type { ZipPart } from "./zip-parts.ts";

/** A request to the worker thread: the bytes of a DOCX document, and the maximum number of bytes that it unpacks to. */
export type DocxJob = { readonly bytes: Uint8Array<ArrayBuffer>; readonly maxUnpacked: number };

/** The answer of the worker thread: the document as HTML with its title, or the problem with it. */
export type DocxAnswer =
  | { readonly html: string; readonly title: string }
  | { readonly problem: "no-parser" | "too-large" | "other-format" | "broken" };

/** The first bytes of files in the older format DOC, and of documents with a password. */
const otherFormat = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

async function readDocument({ convertToHtml, images }: typeof mammoth, job: DocxJob): Promise<DocxAnswer> {
  const { bytes, maxUnpacked } = job;
  if (otherFormat.equals(bytes.subarray(0, otherFormat.length))) return { problem: "other-format" };
  // The parser gets only the text, which was unpacked within the limit, and no pictures.
  const isWanted = (name: string) => /\.(?:xml|rels)$/i.test(name);
  const parts = unpackParts(bytes, { isWanted, maxBytes: maxUnpacked });
  const convertImage = images.imgElement(async () => await Promise.resolve({ src: "" }));
  const options = { styleMap, convertImage, includeEmbeddedStyleMap: false, externalFileAccess: false };
  const { value } = await convertToHtml({ buffer: packParts(parts) }, options);
  return { html: value, title: titleOf(parts) };
}

function titleOf(parts: readonly ZipPart[]): string {
  const properties = parts.find(({ name }) => name === "docProps/core.xml");
  const text = Buffer.from(properties?.bytes.subarray(0, 100_000) ?? []).toString();
  const title = /<dc:title>([^<]*)<\/dc:title>/.exec(text)?.[1] ?? "";
  const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return title.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? "");
}

async function answer(job: DocxJob): Promise<DocxAnswer> {
  let parser: typeof mammoth;
  try {
    parser = (await import("mammoth")).default;
  } catch {
    return { problem: "no-parser" };
  }
  try {
    return await readDocument(parser, job);
  } catch (error) {
    return { problem: error instanceof TooLargeError ? "too-large" : "broken" };
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a thread has no origin
if (!isMainThread) parentPort?.postMessage(await answer(workerData as DocxJob));
