import { TroupeError } from "@troupe/core";
import type { ContentPart } from "@troupe/core";
import { getOwn, readContentData } from "@troupe/core/kit";
import { providerId } from "./options.ts";
import type { RequestContext } from "./request-context.ts";
import type { WireContent } from "./wire-types.ts";

type DataPart = Exclude<ContentPart, { type: "text" }>;

const imageFormats: Readonly<Record<string, string>> = {
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
};

const documentFormats: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/html": "html",
  "text/markdown": "md",
};

const textType = /^text\/|^application\/(?:json|xml|yaml|javascript)$|\+(?:json|xml)$/;

/** The names of the documents in one request. Bedrock refuses a repeated name, and most punctuation. */
export class DocumentNames {
  readonly #used = new Set<string>();

  /**
   * Returns a name for a document that is unique in the request: the name of its file, without characters that Bedrock
   * refuses.
   */
  take(filename: string | undefined): string {
    const legal = (filename ?? "")
      .replace(/\.[^.]*$/, "")
      .replace(/[^a-zA-Z0-9\s\-()[\]]/g, " ")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 190);
    const name = legal || "document";
    let taken = name;
    for (let count = 2; this.#used.has(taken); count += 1) taken = `${name} ${count}`;
    this.#used.add(taken);
    return taken;
  }
}

/**
 * Converts a part of a message to the format of Converse: one block, or none for blank text, which the vendor refuses.
 * Throws `unsupported_media_type` for a type that the model does not accept, and `invalid_request` for unreadable data.
 */
export function toContent(part: ContentPart, context: RequestContext, names: DocumentNames): WireContent[] {
  return part.type === "text" ? toText(part.text) : [toData(part, context, names)];
}

/** Returns a text as one block. Returns no block for blank text, which the vendor refuses. */
export function toText(text: string): { text: string }[] {
  return text.trim() === "" ? [] : [{ text }];
}

function toData(part: DataPart, { model: { modelId }, rules }: RequestContext, names: DocumentNames): WireContent {
  if (part.type === "audio") throw unsupported(part, modelId, "no audio");
  const data = readContentData(part);
  if (data.kind === "invalid") {
    throw new TroupeError(
      "invalid_request",
      `The data of the ${part.type} part for ${providerId}'s ${modelId} ${data.reason}.`,
    );
  }
  if (data.kind === "url") throw unsupported(part, modelId, "the data of a part, and no URL");
  const mimeType = plainType(data.mimeType);
  const source = { bytes: data.base64 };
  const image = getOwn(imageFormats, mimeType);
  if (image !== undefined && rules.images) return { image: { format: image, source } };
  const document = part.type === "file" && rules.documents ? documentFormatOf(mimeType) : undefined;
  if (document === undefined) throw unsupported(part, modelId, takenBy(rules));
  const name = names.take(part.type === "file" ? part.filename : undefined);
  return { document: { format: document, name, source } };
}

function documentFormatOf(mimeType: string): string | undefined {
  return getOwn(documentFormats, mimeType) ?? (textType.test(mimeType) ? "txt" : undefined);
}

/** Returns a media type without parameters. */
function plainType(mimeType = ""): string {
  const [type = ""] = mimeType.toLowerCase().split(";");
  return type.trim();
}

function takenBy({ images, documents }: RequestContext["rules"]): string {
  const taken = [
    ...(images ? ["images (JPEG, PNG, GIF, WebP)"] : []),
    ...(documents ? ["PDF, Office and text files"] : []),
  ];
  return taken.length === 0 ? "text alone" : taken.join(", and ");
}

function unsupported(part: DataPart, modelId: string, taken: string): TroupeError {
  const kind = part.mimeType === undefined ? part.type : `${part.type} (${plainType(part.mimeType)})`;
  return new TroupeError(
    "unsupported_media_type",
    `${providerId}'s ${modelId} does not take this part: ${kind}. It takes ${taken}.`,
    { fields: { vendor: providerId, model: modelId, part: part.type } },
  );
}
