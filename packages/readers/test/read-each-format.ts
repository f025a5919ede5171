import { readDocument } from "../src/index.ts";
import { makeDocx, paragraph } from "./make-docx.ts";
import { makePdf } from "./make-pdf.ts";

// Reads a document of each format that has a parser, and prints what becomes of it.
const documents = {
  "a.html": Buffer.from("<p>text"),
  "a.pdf": makePdf([["text"]]),
  "a.docx": makeDocx(paragraph("text")),
  "a.md": Buffer.from("text"),
};
for (const [name, bytes] of Object.entries(documents)) {
  const outcome = await readDocument(bytes, { name }).then(
    ({ content }) => content.trim(),
    (error: { code?: string; message?: string }) => `${error.code}: ${error.message}`,
  );
  process.stdout.write(`${name} ${outcome}\n`);
}
