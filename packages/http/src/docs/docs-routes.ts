import { posix } from "node:path";
import type { Request, Response } from "express";
import { describeService } from "../openapi/generate-open-api-spec.ts";
import type { RouterSettings } from "../router-options.ts";
import type { Handle, Route } from "../routes/route.ts";
import { sendJson } from "../send-json.ts";
import type { DocsSettings } from "./docs-options.ts";
import { docsPage, docsScript } from "./docs-page.ts";
import { serversOf } from "./servers-of.ts";
import { findSwaggerUi, pageFiles } from "./swagger-ui-files.ts";

/** The page may load what it came with, and ask the service that it came from: nothing else, and nobody may frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The page of the docs with all that it needs, and the description that it shows. */
export function docsRoutes(settings: RouterSettings): Route[] {
  const { docs } = settings;
  if (docs === undefined) return [];
  const spec = describeService(settings, docs);
  const folder = findSwaggerUi();
  return [
    {
      path: docs.specPath,
      get: ({ request, response }) => {
        response.setHeader("X-Content-Type-Options", "nosniff");
        sendJson(response, 200, { ...spec, servers: serversOf(docs, request.baseUrl) });
      },
    },
    { path: docs.docsPath, get: ({ request, response }) => sendPage(request, response, docs) },
    { path: `${docs.docsPath}/docs.js`, get: ({ response }) => sendText(response, "text/javascript", docsScript) },
    ...pageFiles.map((name) => ({ path: `${docs.docsPath}/${name}`, get: sendFile(folder, name) })),
  ];
}

/** Its links are relative: whatever stands before the service may take a part of its path away. */
function sendPage({ path }: Request, response: Response, { title, docsPath, specPath }: DocsSettings): void {
  const linkTo = (target: string) => posix.relative(path.endsWith("/") ? path : posix.dirname(path), target);
  const file = (name: (typeof pageFiles)[number] | "docs.js") => linkTo(`${docsPath}/${name}`);
  const links = {
    title,
    script: file("docs.js"),
    bundle: file("swagger-ui-bundle.js"),
    style: file("swagger-ui.css"),
    icon: file("favicon-32x32.png"),
    spec: linkTo(specPath),
  };
  response.setHeader("Content-Security-Policy", policy);
  response.setHeader("Referrer-Policy", "no-referrer");
  sendText(response, "text/html", docsPage(links));
}

/** Asked for anew each time, and sent when it has changed: an upgrade is seen at once. */
function sendText(response: Response, type: string, text: string): void {
  response.setHeader("Cache-Control", "no-cache");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.type(`${type}; charset=utf-8`).send(text);
}

function sendFile(folder: string, name: string): Handle {
  return async ({ response }) => {
    response.setHeader("Cache-Control", "no-cache");
    response.setHeader("X-Content-Type-Options", "nosniff");
    await new Promise<void>((resolve, reject) => {
      // Who leaves before the end is nobody's fault.
      const end = (error?: Error) => (error && !response.destroyed ? reject(error) : resolve());
      response.sendFile(name, { root: folder, cacheControl: false }, end);
    });
  };
}
