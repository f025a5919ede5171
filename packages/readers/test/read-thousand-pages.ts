import { readDocument } from "../src/index.ts";
import { makePdf } from "./make-pdf.ts";

// Reads a PDF of 1,000 full pages, and prints the number of pages with text and the most megabytes that the process took.
const line = "The quick brown fox jumps over the lazy dog, and reads a page of words.";
const pages = Array.from({ length: 1000 }, (_, index) => [
  `Page ${index + 1}`,
  ...Array.from({ length: 40 }, (_line, at) => `${line} ${at}`),
]);
const { places = [] } = await readDocument(makePdf(pages), { name: "a.pdf" });
process.stdout.write(`${places.length} ${Math.round(process.resourceUsage().maxRSS / 1024)}\n`);
