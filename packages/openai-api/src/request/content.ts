import type { ContentPart, MessageContent } from "@troupe/core";
import { getOwn } from "@troupe/core/kit";
import { detectMimeType } from "@troupe/core/transport";
import { wrongField } from "../wire/api-error.ts";
import { arrayAt, objectAt, stringAt } from "./fields.ts";
import type { Fields } from "./fields.ts";

const textTypes = ["text", "input_text", "output_text"];
const audioTypes: Readonly<Record<string, string>> = { wav: "audio/wav", mp3: "audio/mpeg" };

/**
 * Reads the content of a message: a string, or an array of the parts of Chat Completions or Responses. Throws
 * `invalid_request`, naming the part, for a part that no agent accepts.
 */
export function readContent(value: unknown, param: string): MessageContent {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  const parts = arrayAt(value, param).map((part, index) =>
    readPart(objectAt(part, `${param}[${index}]`), `${param}[${index}]`),
  );
  return parts.every(({ type }) => type === "text")
    ? parts.map((part) => ("text" in part ? part.text : "")).join("\n")
    : parts;
}

/** Returns the text of a message that may only have text, such as instructions. */
export function readText(value: unknown, param: string): string {
  const content = readContent(value, param);
  if (typeof content === "string") return content;
  throw wrongField(param, "must be text alone.");
}

function readPart(part: Fields, param: string): ContentPart {
  const type = stringAt(part["type"], `${param}.type`);
  if (textTypes.includes(type)) return { type: "text", text: stringAt(part["text"], `${param}.text`) };
  if (type === "refusal") return { type: "text", text: stringAt(part["refusal"], `${param}.refusal`) };
  if (type === "image_url" || type === "input_image") return readImage(part, param);
  if (type === "file" || type === "input_file")
    return readFile(type === "file" ? objectAt(part["file"], `${param}.file`) : part, param);
  if (type === "input_audio") return readAudio(objectAt(part["input_audio"], `${param}.input_audio`), param);
  throw wrongField(
    `${param}.type`,
    `must be text, an image, a file or audio, got ${JSON.stringify(type.slice(0, 64))}.`,
  );
}

/** Reads an image. `image_url` is an object with a `url` in Chat Completions, and the URL itself in Responses. */
function readImage({ image_url: image, file_id: fileId }: Fields, param: string): ContentPart {
  refuseFileId(fileId, param);
  const place = `${param}.image_url`;
  const url = typeof image === "string" ? image : stringAt(objectAt(image, place)["url"], `${place}.url`);
  return { type: "image", ...readUrl(url, place) };
}

function readFile({ file_data: data, file_url: url, filename, file_id: fileId }: Fields, param: string): ContentPart {
  refuseFileId(fileId, param);
  const [given, place] = data === undefined ? [url, `${param}.file_url`] : [data, `${param}.file_data`];
  const text = stringAt(given, place);
  // Base64 data without a media type is accepted as well.
  const read = /^(?:data|https?):/i.test(text) ? readUrl(text, place) : { data: text, mimeType: detectMimeType(text) };
  const named = typeof filename === "string" && { filename };
  return { type: "file", mimeType: "application/octet-stream", ...read, ...named };
}

function readAudio({ data, format }: Fields, param: string): ContentPart {
  const mimeType = getOwn(audioTypes, String(format));
  if (mimeType === undefined) throw wrongField(`${param}.input_audio.format`, 'must be "wav" or "mp3".');
  return { type: "audio", data: stringAt(data, `${param}.input_audio.data`), mimeType };
}

function readUrl(url: string, place: string): { data: string; mimeType?: string } {
  if (!/^(?:data|https?):/i.test(url)) throw wrongField(place, "must be a data: URL, or an address of http or https.");
  const [, mimeType] = /^data:([^;,]+)[;,]/i.exec(url) ?? [];
  return { data: url, ...(mimeType !== undefined && { mimeType: mimeType.toLowerCase() }) };
}

function refuseFileId(fileId: unknown, param: string): void {
  if (fileId === undefined || fileId === null) return;
  throw wrongField(`${param}.file_id`, "is not supported: this service keeps no files. Send the data of the file.");
}

/** Joins the contents of consecutive messages. */
export function joinContents(contents: readonly MessageContent[]): MessageContent {
  if (contents.every((content) => typeof content === "string")) return contents.join("\n\n");
  return contents.flatMap((content) =>
    typeof content === "string" ? [{ type: "text" as const, text: content }] : content,
  );
}
