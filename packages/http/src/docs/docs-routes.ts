import { posix } from "node:path";
import type { Exchange, Route } from "@troupe/core/transport";
import { describeService } from "../openapi/generate-open-api-spec.ts";
import type { OpenApiServer } from "../openapi/open-api-spec.ts";
import type { DocsSettings } from "../settings/docs-options.ts";
import type { HttpParts } from "../settings/http-options.ts";
import { DocsFiles, sendText } from "./docs-files.ts";
import { docsPage, docsScript } from "./docs-page.ts";
import { docsStyle } from "./docs-style.ts";
import { findSwaggerUi, pageFiles } from "./swagger-ui-files.ts";

/**
 * Content security policy of the docs page: it may load only its own files and call only its own service. No other page
 * may frame it.
 */
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
 * Makes the routes of the docs: the OpenAPI document, the page that shows it, and the files of Swagger UI. Returns an
 * empty array if no docs are served.
 */
export function docsRoutes(parts: HttpParts): Route[] {
  const { docs } = parts;
  if (docs === undefined) return [];
  const spec = describeService(parts, docs);
  const files = new DocsFiles(findSwaggerUi());
  return [
    {
      path: docs.specPath,
      get: (exchange) => {
        exchange.setHeader("X-Content-Type-Options", "nosniff");
        exchange.sendJson(200, { ...spec, servers: serversOf(docs, exchange.basePath) });
      },
    },
    { path: docs.docsPath, get: (exchange) => sendPage(exchange, docs) },
    { path: `${docs.docsPath}/docs.css`, get: (exchange) => sendText(exchange, "text/css", docsStyle) },
    { path: `${docs.docsPath}/docs.js`, get: (exchange) => sendText(exchange, "text/javascript", docsScript) },
    ...pageFiles.map((name) => ({
      path: `${docs.docsPath}/${name}`,
      get: async (exchange: Exchange) => await files.send(exchange, name),
    })),
  ];
}

/**
 * Returns the `servers` of the OpenAPI document: the servers in the options, or else the mount path of the router
 * without a prefix that each path already has.
 */
function serversOf({ servers, routePrefix }: DocsSettings, mountPath: string): OpenApiServer[] {
  if (servers !== undefined) return servers.map((server) => ({ ...server }));
  const endsInPrefix = routePrefix !== "" && mountPath.endsWith(routePrefix);
  const url = endsInPrefix ? mountPath.slice(0, -routePrefix.length) : mountPath;
  return [{ url: url === "" ? "/" : url }];
}

/** Sends the page with relative links, because a proxy may strip a part of the path. */
function sendPage(exchange: Exchange, { title, docsPath, specPath }: DocsSettings): void {
  const { path } = exchange;
  const linkTo = (target: string) => posix.relative(path.endsWith("/") ? path : posix.dirname(path), target);
  const file = (name: (typeof pageFiles)[number] | "docs.css" | "docs.js") => linkTo(`${docsPath}/${name}`);
  const links = {
    title,
    script: file("docs.js"),
    bundle: file("swagger-ui-bundle.js"),
    style: file("docs.css"),
    icon: file("favicon-32x32.png"),
    spec: linkTo(specPath),
  };
  exchange.setHeader("Content-Security-Policy", contentSecurityPolicy);
  exchange.setHeader("Referrer-Policy", "no-referrer");
  sendText(exchange, "text/html", docsPage(links));
}
