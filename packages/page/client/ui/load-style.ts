import { strings } from "../strings/strings.ts";

/** Adds a style sheet to the document unless it is already there, and waits until it is loaded. */
export async function loadStyle(url: URL): Promise<void> {
  const { href } = url;
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  await new Promise<void>((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => reject(new Error(strings.app.noStyle)));
    document.head.append(link);
  });
}
