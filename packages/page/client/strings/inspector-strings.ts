import { inspectorInEnglish } from "./en-inspector.ts";
import { loadTexts } from "./strings.ts";

/** The texts of the inspector, and of a workflow's graph, in the language of the document. They are loaded with these views. */
export const inspectorStrings = await loadTexts(inspectorInEnglish, {
  de: async () => (await import("./de-inspector.ts")).inspectorInGerman,
});
