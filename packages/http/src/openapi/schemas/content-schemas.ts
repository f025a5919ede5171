import type { AudioPart, FilePart, ImagePart, TextPart } from "@troupe/core";
import type { Schema } from "../open-api-spec.ts";
import { closedObjectOf } from "./object-of.ts";
import { oneWord, text, unionByType } from "./simple.ts";

const data: Schema = { type: "string", description: "Base64, a `data:` URL or an `http(s)` URL." };

/** What a message may be made of. */
export function contentSchemas(): Record<string, Schema> {
  return {
    ContentPart: unionByType(
      { text: "TextPart", image: "ImagePart", audio: "AudioPart", file: "FilePart" },
      "One piece of a message.",
    ),
    TextPart: closedObjectOf<TextPart>({
      required: { type: oneWord("text"), text },
      optional: {},
      example: { type: "text", text: "What is in this picture?" },
    }),
    ImagePart: closedObjectOf<ImagePart>({
      required: { type: oneWord("image"), data },
      optional: { mimeType: text },
      example: { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    }),
    AudioPart: closedObjectOf<AudioPart>({
      required: { type: oneWord("audio"), data },
      optional: { mimeType: text },
      example: { type: "audio", data: "https://example.com/hello.mp3" },
    }),
    FilePart: closedObjectOf<FilePart>({
      required: { type: oneWord("file"), data, mimeType: text },
      optional: { filename: text },
      example: { type: "file", data: "JVBERi0xLjQ=", mimeType: "application/pdf", filename: "plan.pdf" },
    }),
  };
}
