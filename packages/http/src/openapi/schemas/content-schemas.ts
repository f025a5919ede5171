import type { AudioPart, FilePart, ImagePart, TextPart } from "@troupe/core";
import type { OpenApiSchema } from "../open-api-spec.ts";
import { closedObjectSchema, enumSchema, stringSchema, unionSchema } from "./schema-builders.ts";

/** Returns the OpenAPI schemas of the parts of a message, by name. */
export function contentSchemas(): Record<string, OpenApiSchema> {
  const data: OpenApiSchema = {
    type: "string",
    format: "base64-or-url",
    description: "Base64, a `data:` URL or an `http(s)` URL.",
  };
  return {
    ContentPart: unionSchema(
      { text: "TextPart", image: "ImagePart", audio: "AudioPart", file: "FilePart" },
      "One piece of a message.",
    ),
    TextPart: closedObjectSchema<TextPart>({
      required: { type: enumSchema("text"), text: stringSchema },
      optional: {},
      example: { type: "text", text: "What is in this picture?" },
    }),
    ImagePart: closedObjectSchema<ImagePart>({
      required: { type: enumSchema("image"), data },
      optional: { mimeType: stringSchema },
      example: { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    }),
    AudioPart: closedObjectSchema<AudioPart>({
      required: { type: enumSchema("audio"), data },
      optional: { mimeType: stringSchema },
      example: { type: "audio", data: "https://example.com/hello.mp3" },
    }),
    FilePart: closedObjectSchema<FilePart>({
      required: { type: enumSchema("file"), data, mimeType: stringSchema },
      optional: { filename: stringSchema },
      example: { type: "file", data: "JVBERi0xLjQ=", mimeType: "application/pdf", filename: "plan.pdf" },
    }),
  };
}
