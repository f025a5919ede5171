import { rulesOf } from "../rule.ts";

/** Rules for the page to chat with agents, and for its inspector. */
export const pageRules = [
  ...rulesOf("Page", {
    "page.policy": "the page forbids inline scripts and styles, other hosts, frames and strings that become markup",
    "page.paths": "the page answers for its own paths alone, works at any mount path, and loads only its own files",
    "page.caching":
      "scripts and styles are kept by browsers under names with their hash; the document is asked for anew",
  }),
];
