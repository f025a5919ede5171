export { readDocument } from "./read-document.ts";
export type { DocumentInfo } from "./read-document.ts";
export { readFolder } from "./read-folder.ts";
export type { FolderOptions } from "./read-folder.ts";
export type { ReadOptions } from "./read-options.ts";
