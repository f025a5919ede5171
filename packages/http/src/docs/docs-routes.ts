import { posix } from "node:path";
import type { Request, Response } from "express";
import { sendJson } from "../exchange/send-json.ts";
import { describeService } from "../openapi/generate-open-api-spec.ts";
import type { OpenApiServer } from "../openapi/open-api-spec.ts";
import type { RouteHandler, Route } from "../routes/mount-route.ts";
import type { DocsSettings } from "../settings/docs-options.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { docsPage, docsScript } from "./docs-page.ts";
import { findSwaggerUi, pageFiles } from "./swagger-ui-files.ts";

/** Lets the page load its own files and call its own service, and nothing else. No other page may frame it. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/**
 * Makes the routes of the docs: the OpenAPI document, the page that shows it, and the files of Swagger UI that the page
 * loads. Returns none if no docs are served.
 */
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

/** Returns the servers of the options, else the mount path of the router without a prefix that each path repeats. */
function serversOf({ servers, routePrefix }: DocsSettings, mountPath: string): OpenApiServer[] {
  if (servers !== undefined) return servers.map((server) => ({ ...server }));
  const endsInPrefix = routePrefix !== "" && mountPath.endsWith(routePrefix);
  const url = endsInPrefix ? mountPath.slice(0, -routePrefix.length) : mountPath;
  return [{ url: url === "" ? "/" : url }];
}

/** Sends the page with relative links: a proxy may take a part of the path away. */
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
  response.setHeader("Content-Security-Policy", contentSecurityPolicy);
  response.setHeader("Referrer-Policy", "no-referrer");
  sendText(response, "text/html", docsPage(links));
}

/** Sends text that a browser asks for again each time: after an upgrade it is never out of date. */
function sendText(response: Response, type: string, text: string): void {
  response.setHeader("Cache-Control", "no-cache");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.type(`${type}; charset=utf-8`).send(text);
}

function sendFile(folder: string, name: string): RouteHandler {
  return async ({ response }) => {
    response.setHeader("Cache-Control", "no-cache");
    response.setHeader("X-Content-Type-Options", "nosniff");
    await new Promise<void>((resolve, reject) => {
      // A client that disconnects is no failure.
      const end = (error?: Error) => (error && !response.destroyed ? reject(error) : resolve());
      response.sendFile(name, { root: folder, cacheControl: false }, end);
    });
  };
}
