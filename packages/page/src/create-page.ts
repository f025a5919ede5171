import { Router } from "express";
import type { Request, Response, Router as ExpressRouter } from "express";
import { readClientFiles } from "./client-files.ts";
import type { ClientFile, ClientFiles } from "./client-files.ts";
import { inspectorRoutes } from "./inspector/inspector-routes.ts";
import { pageDocument, pageIcon } from "./page-document.ts";
import { readPageOptions } from "./page-options.ts";
import type { PageOptions, PageSettings } from "./page-options.ts";

/**
 * Lets the page load its own files and call its own origin, and nothing else: no inline script or style, no other host, no
 * frame around it. No string becomes markup or code.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/**
 * Creates the page as a handler for Express, to be mounted at any path beside `createAgentRouter`, whose agents, teams and
 * workflows it shows. It answers only for its own paths: that of the page itself, and `assets` and `inspector` below it.
 */
export function createPage(options: PageOptions = {}): ExpressRouter {
  const settings = readPageOptions(options);
  const router = Router();
  if (settings.inspector !== undefined) router.use("/inspector", inspectorRoutes(settings.inspector));
  router.get("/", async (request, response) =>
    sendPage(request, response, { settings, client: await readClientFiles() }),
  );
  router.get("/assets/icon.svg", (_, response) => {
    response.setHeader("Cache-Control", "public, max-age=86400");
    setSafely(response).type("image/svg+xml").send(pageIcon);
  });
  router.get("/assets/:name", async (request, response, next) => {
    const file = (await readClientFiles()).files.get(request.params.name);
    if (file === undefined) return next();
    sendFile(request, response, file);
  });
  return router;
}

type Page = { readonly settings: PageSettings; readonly client: ClientFiles };

/** Sends the document with relative links: a proxy may take a part of the path away. */
function sendPage(request: Request, response: Response, { settings, client }: Page): void {
  const [path = "/"] = request.originalUrl.split("?", 1);
  const base = path.endsWith("/") ? "" : `${path.split("/").at(-1)}/`;
  const { title, api, suggestions = {}, users, inspector } = settings;
  const document = pageDocument({
    title,
    script: `${base}assets/${client.script}`,
    style: `${base}assets/${client.style}`,
    icon: `${base}assets/icon.svg`,
    settings: {
      title,
      api,
      suggestions,
      base: `./${base}`,
      hasUsers: users,
      ...(inspector !== undefined && { inspectorStyle: `./${base}assets/${client.inspectorStyle}` }),
    },
  });
  response.setHeader("Content-Security-Policy", contentSecurityPolicy);
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  // Asked for again each time: after an upgrade it is never out of date.
  response.setHeader("Cache-Control", "no-cache");
  setSafely(response).type("html").send(document);
}

/** Sends a script or a style sheet, whose name changes with its content: a browser asks for it once. */
function sendFile(request: Request, response: Response, file: ClientFile): void {
  const encoding = request.acceptsEncodings(["br", "gzip", "identity"]);
  response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
  response.setHeader("Vary", "Accept-Encoding");
  setSafely(response).setHeader("Content-Type", file.type);
  if (encoding === "br" || encoding === "gzip") {
    response.setHeader("Content-Encoding", encoding);
    return void response.send(file[encoding]);
  }
  response.send(file.plain);
}

function setSafely(response: Response): Response {
  response.setHeader("X-Content-Type-Options", "nosniff");
  return response.setHeader("Referrer-Policy", "no-referrer");
}
