import type { ContentPart } from "@troupe/core";
import type { OracleRow } from "./oracle-row.ts";

const png = "iVBORw0KGgo=";
const pdf = "JVBERi0xLjQK";
const wav = "UklGRiQAAABXQVZF";

/** Every kind of content part: a missing one is an error of the types. */
export const contentRows = {
  text: {
    "two texts": {
      content: [
        { type: "text", text: "One." },
        { type: "text", text: "Two." },
      ],
      sdk: {
        responses: {
          input: [
            {
              role: "user",
              content: [
                { type: "input_text", text: "One." },
                { type: "input_text", text: "Two." },
              ],
            },
          ],
        },
        chat: {
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "One." },
                { type: "text", text: "Two." },
              ],
            },
          ],
        },
        anthropic: {
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "One." },
                { type: "text", text: "Two." },
              ],
            },
          ],
        },
        google: { contents: [{ role: "user", parts: [{ text: "One." }, { text: "Two." }] }] },
        ollama: { messages: [{ role: "user", content: "One.\nTwo." }] },
      },
    },
  },
  image: {
    "in base64": {
      content: [
        { type: "text", text: "What?" },
        { type: "image", data: png },
      ],
      sdk: {
        responses: {
          input: [
            {
              role: "user",
              content: [
                { type: "input_text", text: "What?" },
                { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" },
              ],
            },
          ],
        },
        chat: {
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "What?" },
                { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
              ],
            },
          ],
        },
        anthropic: {
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "What?" },
                { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
              ],
            },
          ],
        },
        google: {
          contents: [
            { role: "user", parts: [{ text: "What?" }, { inlineData: { mimeType: "image/png", data: png } }] },
          ],
        },
        ollama: { messages: [{ role: "user", content: "What?", images: [png] }] },
      },
    },
    "by its URL": {
      content: [{ type: "image", data: "https://example.com/a.png", mimeType: "image/png" }],
      sdk: {
        responses: {
          input: [
            {
              role: "user",
              content: [{ type: "input_image", image_url: "https://example.com/a.png", detail: "auto" }],
            },
          ],
        },
        chat: {
          messages: [
            { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] },
          ],
        },
        anthropic: {
          messages: [
            {
              role: "user",
              content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }],
            },
          ],
        },
        google: {
          contents: [
            { role: "user", parts: [{ fileData: { fileUri: "https://example.com/a.png", mimeType: "image/png" } }] },
          ],
        },
        ollama: null,
      },
    },
  },
  audio: {
    "in base64": {
      content: [{ type: "audio", data: wav, mimeType: "audio/wav" }],
      sdk: {
        responses: null,
        chat: null,
        anthropic: null,
        google: { contents: [{ role: "user", parts: [{ inlineData: { mimeType: "audio/wav", data: wav } }] }] },
        ollama: null,
      },
    },
  },
  file: {
    "a PDF": {
      content: [{ type: "file", data: pdf, mimeType: "application/pdf", filename: "a.pdf" }],
      sdk: {
        responses: {
          input: [
            {
              role: "user",
              content: [{ type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` }],
            },
          ],
        },
        chat: {
          messages: [
            {
              role: "user",
              content: [{ type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } }],
            },
          ],
        },
        anthropic: {
          messages: [
            {
              role: "user",
              content: [
                {
                  type: "document",
                  source: { type: "base64", media_type: "application/pdf", data: pdf },
                  title: "a.pdf",
                },
              ],
            },
          ],
        },
        google: { contents: [{ role: "user", parts: [{ inlineData: { mimeType: "application/pdf", data: pdf } }] }] },
        ollama: null,
      },
    },
  },
} satisfies Record<ContentPart["type"], Record<string, OracleRow>>;
