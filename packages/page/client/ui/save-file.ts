import { plainLine } from "./unseen.ts";

/** Lets the browser save a file. The extension begins with a dot. */
export function saveFile(name: string, extension: string, content: BlobPart): void {
  // The file never gets a media type of its own, because the browser would show it as a page of this origin.
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${plainLine(name).replaceAll(/[^\w.-]+/g, "-")}${extension}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
