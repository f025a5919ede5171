import { existsSync } from "node:fs";
import { join } from "node:path";
import { TroupeError } from "@troupe/core";
import express from "express";
import type { RequestHandler } from "express";

/** The folder of the built site, found from `src` as well as from `dist`. */
const builtFolder = join(import.meta.dirname, "../guide");

/**
 * Serves the site of the documentation, which `pnpm site:demo` builds: a start of the demo builds nothing. Without the site,
 * requests fail with a sentence that names the command.
 */
export function serveGuide(folder = builtFolder): RequestHandler {
  const files = express.static(folder);
  return (request, response, next) => {
    if (!existsSync(join(folder, "index.html"))) {
      throw new TroupeError("not_found", "The guide is not built yet. Build it with: npx -y pnpm@12 site:demo");
    }
    files(request, response, next);
  };
}
