import { TroupeError } from "@troupe/core";
import type { Exchange, Protocol, Route, Service } from "@troupe/core/transport";
import { isServedFile, readClientFiles } from "./client-files.ts";
import type { ClientFile, ClientFiles } from "./client-files.ts";
import { declaredStepsOf } from "./inspector/declared-steps.ts";
import { inspectorRoutes } from "./inspector/inspector-routes.ts";
import { chooseLanguage } from "./language.ts";
import type { Language } from "./language.ts";
import { pageDocument, pageIcon } from "./page-document.ts";
import { defaultLifetimeMs, sharedHeaders, shareRoutes } from "./shares/share-routes.ts";
import { readPageOptions } from "./page-options.ts";
import type { PageOptions, PageSettings } from "./page-options.ts";
import { chooseEncoding, sendTagged } from "./send-tagged.ts";

/**
 * Content security policy of the page: it may load only its own files and call only its own origin. No inline scripts
 * or styles, no other hosts, no frame around it. Strings never become markup or code.
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

const safeHeaders = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };

/**
 * Makes the protocol that serves a page to chat with the agents, teams and workflows of a service, beside `http()`,
 * whose routes the page calls. It answers only for its own paths: the page itself, and `assets`, `inspector`, `shares`
 * and `s` below it. Throws `invalid_config` for a wrong option.
 */
export function page(options: PageOptions = {}): Protocol {
  const settings = readPageOptions(options);
  const protocol = pageOf(settings);
  return {
    name: protocol.name,
    routes: (service, beside) => {
      refuseUnknownNames(settings, service);
      return protocol.routes(service, beside);
    },
  };
}

/** Throws `invalid_config` if the page is to show an agent, a team or a workflow that its service does not have. */
function refuseUnknownNames({ show = [] }: PageSettings, { agents, teams, workflows }: Service): void {
  const known = new Set([agents, teams, workflows].flatMap((each) => [...each.keys()]));
  const unknown = show.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const names = [...known].map((name) => JSON.stringify(name)).join(", ");
  const expected = names === "" ? "The service has none: leave show out" : `Expected names among ${names}`;
  const message = `show of page names ${JSON.stringify(unknown)}, which is no agent, team or workflow of the service. ${expected}.`;
  throw new TroupeError("invalid_config", message);
}

/** Makes the protocol of a page from its checked options. */
export function pageOf(settings: PageSettings): Protocol {
  const below = settings.path === "/" ? "" : settings.path;
  return {
    name: "page",
    routes: (service) => [
      // The page itself is the same for all users, and can be loaded before a user has signed in.
      { path: `${below}/`, isPublic: true, get: async (exchange) => await sendPage(exchange, { settings, service }) },
      { path: `${below}/assets/icon.svg`, isPublic: true, get: sendIcon },
      { path: `${below}/assets/:name`, isPublic: true, get: sendFile, serves: ({ name = "" }) => isServedFile(name) },
      {
        path: `${below}/assets/workflows/:name`,
        get: (exchange) => sendSteps(exchange, service),
        serves: ({ name = "" }) => service.workflows.has(name),
      },
      ...sharesOf(settings, below, service),
      ...inspectorOf(settings).flatMap((inspector) => inspectorRoutes(`${below}/inspector`, { inspector, service })),
    ],
  };
}

function inspectorOf({ inspector }: PageSettings): NonNullable<PageSettings["inspector"]>[] {
  return inspector === undefined ? [] : [inspector];
}

/** Makes the routes of shared chats, and of the document that shows them; none if the host does not allow it. */
function sharesOf(settings: PageSettings, below: string, service: Service): Route[] {
  const { shares } = settings;
  if (shares === undefined) return [];
  const hasSessions = service.agents.size + service.teams.size > 0;
  const show = async (exchange: Exchange) => await sendPage(exchange, { settings, service, isShared: true });
  return [
    ...shareRoutes(below, { ...shares, service: shares.service ?? (hasSessions ? service : undefined) }),
    { path: `${below}/s/:secret`, isPublic: true, get: show },
  ];
}

type PageParts = { readonly settings: PageSettings; readonly service: Service; readonly isShared?: true };

/**
 * Sends the HTML document of the page. Its links are relative, because a proxy may remove the beginning of the path.
 */
async function sendPage(exchange: Exchange, parts: PageParts): Promise<void> {
  const { settings, isShared } = parts;
  const document = toDocument(exchange, { ...parts, client: await readClientFiles() });
  const headers = {
    "Content-Security-Policy": contentSecurityPolicy,
    "Cross-Origin-Opener-Policy": "same-origin",
    // The document is revalidated each time, so that the page is never outdated after an upgrade.
    "Cache-Control": "no-cache",
    // A cache must not give one visitor the language of another.
    ...(languagesOf(settings).length > 1 && { Vary: "Accept-Language" }),
    ...safeHeaders,
    ...(isShared && sharedHeaders),
  };
  sendTagged(exchange, { type: "text/html; charset=utf-8", headers, body: Buffer.from(document) });
}

function toDocument(exchange: Exchange, parts: PageParts & { client: ClientFiles }): string {
  const { settings, client, isShared } = parts;
  const base = isShared ? `../${pathOf(exchange.url).endsWith("/") ? "../" : ""}` : baseOf(exchange);
  return pageDocument({
    title: settings.title,
    ...(isShared && { isShared }),
    language: chooseLanguage(languagesOf(settings), exchange.headers["accept-language"]),
    script: `${base}assets/${client.script}`,
    style: `${base}assets/${client.style}`,
    ...(settings.fonts === "web" && { font: `${base}assets/${client.font}` }),
    icon: `${base}assets/icon.svg`,
    settings: isShared
      ? { ...sharedSettings(parts, base), ...brandOf(settings) }
      : ownSettings(exchange, { ...parts, base }),
  });
}

/** Returns the settings of the document that shows a shared chat. */
function sharedSettings({ settings: { title }, client }: PageParts & { client: ClientFiles }, base: string): object {
  const chartStyle = `${base}assets/${client.chartStyle}`;
  return { title, api: "/", suggestions: {}, base, hasUsers: false, isShared: true, chartStyle };
}

/** Returns the settings of the page for its users. */
function ownSettings(exchange: Exchange, parts: PageParts & { client: ClientFiles; base: string }): object {
  const { settings, service, client, base } = parts;
  const { title, api = exchange.linkTo("/"), suggestions = {}, users, show, inspector, shares } = settings;
  return {
    title,
    api,
    suggestions,
    base: `./${base}`,
    hasUsers: users,
    ...(show !== undefined && { shown: show }),
    ...brandOf(settings),
    ...(users && service.settings.schedules !== undefined && { hasSchedules: true }),
    ...(shares !== undefined && { shareMs: shares.maxLifetimeMs ?? defaultLifetimeMs }),
    chartStyle: `./${base}assets/${client.chartStyle}`,
    ...(service.workflows.size > 0 && { graphStyle: `./${base}assets/${client.graphStyle}` }),
    ...(inspector !== undefined && { inspectorStyle: `./${base}assets/${client.inspectorStyle}` }),
  };
}

/** Returns the relative path from the request to what is below the page. */
function baseOf({ url }: Exchange): string {
  const path = pathOf(url);
  return path.endsWith("/") ? "" : `${path.split("/").at(-1)}/`;
}

function languagesOf({ languages = ["en"] }: PageSettings): readonly Language[] {
  return languages;
}

/** Returns the settings by which the page looks like its host's pages. */
function brandOf({ welcome, logo, accent, keys }: PageSettings): object {
  return {
    ...(welcome !== undefined && { welcome }),
    ...(logo !== undefined && { logo }),
    ...(accent !== undefined && { accent }),
    ...(keys === false && { hasKeys: false }),
  };
}

/** Returns the path of a request's target, which may be a whole URL. */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") || "/";
}

/** Sends the declared steps of a workflow to those who may run it: names and kinds, without functions. */
function sendSteps(exchange: Exchange, service: Service): void {
  const workflow = service.workflows.get(exchange.params["name"] ?? "");
  if (workflow === undefined) throw new TroupeError("not_found", "There is no workflow of this name.");
  const headers = { "Cache-Control": "no-cache", "Cross-Origin-Resource-Policy": "same-origin", ...safeHeaders };
  const body = Buffer.from(JSON.stringify({ steps: declaredStepsOf(workflow) }));
  sendTagged(exchange, { type: "application/json; charset=utf-8", headers, body });
}

function sendIcon(exchange: Exchange): void {
  const headers = { "Cache-Control": "public, max-age=86400", ...safeHeaders };
  sendTagged(exchange, { type: "image/svg+xml; charset=utf-8", headers, body: Buffer.from(pageIcon) });
}

/** Sends a script, a style sheet or a font. Its name changes with its content, so a browser loads it only once. */
async function sendFile(exchange: Exchange): Promise<void> {
  const file: ClientFile | undefined = (await readClientFiles()).files.get(exchange.params["name"] ?? "");
  if (file === undefined) throw new TroupeError("not_found", "Nothing was found at this path.");
  const accepted = chooseEncoding(exchange.headers["accept-encoding"]);
  const compressed = accepted && file[accepted];
  const headers = {
    "Cache-Control": "public, max-age=31536000, immutable",
    Vary: "Accept-Encoding",
    ...safeHeaders,
    ...(accepted && compressed && { "Content-Encoding": accepted }),
  };
  sendTagged(exchange, { type: file.type, headers, body: compressed ?? file.plain });
}
