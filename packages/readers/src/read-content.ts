import type { DocumentContent } from "@troupe/core";

/** The text of a document, with its title as metadata and the positions of its pages or rows. */
export type ReadContent = Exclude<DocumentContent, string>;
