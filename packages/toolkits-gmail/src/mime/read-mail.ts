import { cleanLines, cleanText, htmlToLines } from "@troupe-internal/toolkit";
import { readObject, readObjects, readText } from "@troupe/core/kit";
import { showLinks } from "./show-links.ts";
import { decodeBytes, decodeHeader, readParameter } from "./decode-header.ts";

/** An attachment of a mail without its content. */
type MailAttachment = { filename: string; mimeType: string; bytes: number };

/** The readable content of a mail: its text, converted from HTML if necessary, and the list of its attachments. */
export type MailContent = { text: string; attachments: MailAttachment[] };

/** Deepest nesting of a mail's parts that is read. */
const deepest = 20;

/** Maximum length in characters of a mail's text, and of the HTML of one part. The rest is dropped. */
const longestText = 1_000_000;
const longestHtmlText = 200_000;

type Part = Readonly<Record<string, unknown>>;
type Content = MailContent & { isHtml?: boolean };

/** Reads the text and the list of attachments of a mail from the parts that the Gmail API sends. */
export function readMail(payload: Part): MailContent {
  const { text, attachments } = readPart(payload, 0);
  return { text: cleanLines(text, longestText), attachments };
}

/** Returns a header of a mail's part by its name in any case, or an empty string. */
export function headerOf(part: Part, name: string): string {
  const header = readObjects(part["headers"]).find((each) => readText(each["name"]).toLowerCase() === name);
  return readText(header?.["value"]);
}

function readPart(part: Part, depth: number): Content {
  const mimeType = readText(part["mimeType"]).toLowerCase();
  if (mimeType.startsWith("multipart/") && depth < deepest) return readMultipart(part, mimeType, depth);
  const disposition = headerOf(part, "content-disposition");
  const filename = cleanText(decodeHeader(readText(part["filename"]) || readParameter(disposition, "filename")), 200);
  const isAttached = filename !== "" || /^\s*attachment/i.test(disposition);
  if (isAttached || !isShown(part, mimeType))
    return { text: "", attachments: toAttachments(part, { filename, mimeType }) };
  const charset = readParameter(headerOf(part, "content-type"), "charset");
  const text = decodeBytes(Buffer.from(readText(readObject(part["body"])["data"]), "base64url"), charset);
  const isHtml = mimeType === "text/html";
  return { text: isHtml ? htmlToLines(showLinks(text), longestHtmlText) : text, isHtml, attachments: [] };
}

/**
 * Returns true if a part of a mail is text that Gmail sent with the mail. Gmail stores a large text separately, like an
 * attachment.
 */
function isShown(part: Part, mimeType: string): boolean {
  const isText = mimeType === "text/plain" || mimeType === "text/html" || mimeType === "";
  return isText && readObject(part["body"])["attachmentId"] === undefined;
}

function readMultipart(part: Part, mimeType: string, depth: number): Content {
  const contents = readObjects(part["parts"]).map((each) => readPart(each, depth + 1));
  const attachments = contents.flatMap((content) => content.attachments);
  const shown = contents.filter(({ text }) => text.trim() !== "");
  if (mimeType !== "multipart/alternative") {
    const isHtml = shown.some((content) => content.isHtml === true);
    return { text: shown.map(({ text }) => text).join("\n\n"), isHtml, attachments };
  }
  const chosen = shown.find(({ isHtml }) => isHtml !== true) ?? shown.at(-1);
  return { text: chosen?.text ?? "", isHtml: chosen?.isHtml === true, attachments };
}

function toAttachments(part: Part, { filename, mimeType }: { filename: string; mimeType: string }): MailAttachment[] {
  const size = readObject(part["body"])["size"];
  const bytes = typeof size === "number" ? size : 0;
  // A multipart that is nested too deeply has no bytes of its own, and is not listed as an attachment.
  if (filename === "" && bytes === 0 && mimeType.startsWith("multipart/")) return [];
  return [{ filename: filename || "(without a name)", mimeType: cleanText(mimeType, 100), bytes }];
}
