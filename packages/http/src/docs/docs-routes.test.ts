import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createService } from "@troupe/core/service";
import { describe, expect, it } from "vitest";
import { talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { readDocsOptions } from "../settings/docs-options.ts";
import { partsOf } from "../settings/http-options.ts";
import { docsPage, docsScript } from "./docs-page.ts";
import { docsRoutes } from "./docs-routes.ts";
import { findOriginal, findSwaggerUi, licenceFiles, pageFiles } from "./swagger-ui-files.ts";

const swagger = { title: "Help", docsPath: "/help/api", specPath: "/spec" };
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const shown = ["content-type", "cache-control", "x-content-type-options", "content-security-policy", "referrer-policy"];

describe("docsRoutes", () => {
  it("are none without docs, and else the spec, the page, its script and its files, for GET alone", () => {
    const parts = (given: object | undefined) => {
      const docs = given && readDocsOptions(given, { path: "swagger" });
      return partsOf(createService({}), { docs, uploadRules: undefined });
    };
    expect(docsRoutes(parts(undefined))).toEqual([]);
    expect(docsRoutes(parts(swagger)).map(({ path, ...handlers }) => [path, ...Object.keys(handlers)])).toEqual(
      [
        "/spec",
        "/help/api",
        "/help/api/docs.css",
        "/help/api/docs.js",
        ...pageFiles.map((name) => `/help/api/${name}`),
      ].map((path) => [path, "get"]),
    );
  });

  it.each<[string, (string | null)[]]>([
    ["/spec", ["application/json; charset=utf-8", "no-store", "nosniff", null, null]],
    ["/help/api", ["text/html; charset=utf-8", "no-cache", "nosniff", policy, "no-referrer"]],
    ["/help/api/docs.css", ["text/css; charset=utf-8", "no-cache", "nosniff", null, null]],
    ["/help/api/docs.js", ["text/javascript; charset=utf-8", "no-cache", "nosniff", null, null]],
    ["/help/api/swagger-ui-bundle.js", ["text/javascript; charset=utf-8", "no-cache", "nosniff", null, null]],
    ["/help/api/swagger-ui.css", ["text/css; charset=utf-8", "no-cache", "nosniff", null, null]],
    ["/help/api/favicon-32x32.png", ["image/png", "no-cache", "nosniff", null, null]],
  ])("answer %s with these headers", async (path, headers) => {
    const service = await serve({ agents: { a: talker() }, swagger });
    const answer = await service.ask(path, { headers: { connection: "close" } });
    expect([answer.status, shown.map((name) => answer.headers.get(name))]).toEqual([200, headers]);
  });

  it.each([
    ["/help/api", "api/", "../spec"],
    ["/help/api/", "", "../../spec"],
  ])("link from the page at %s to %s and %s", async (path, folder, spec) => {
    const service = await serve({ swagger }, { at: "/at" });
    const page = docsPage({
      title: "Help",
      script: `${folder}docs.js`,
      bundle: `${folder}swagger-ui-bundle.js`,
      style: `${folder}docs.css`,
      icon: `${folder}favicon-32x32.png`,
      spec,
    });
    expect((await service.ask(path)).text).toBe(page);
    expect((await service.ask("/help/api/docs.js")).text).toBe(docsScript);
  });

  it.each([
    ["/", {}, [{ url: "/" }]],
    ["/v1", { routePrefix: "/v1" }, [{ url: "/" }]],
    ["/v1/v1", { routePrefix: "/v1" }, [{ url: "/v1" }]],
    ["/v1/api", { routePrefix: "/v1" }, [{ url: "/v1/api" }]],
    [
      "/v1",
      { servers: [{ url: "https://x.test", description: "One." }, { url: "/y" }] },
      [{ url: "https://x.test", description: "One." }, { url: "/y" }],
    ],
    ["/v1", { servers: [] }, []],
  ])("name for a router at %s with %j the servers %j", async (at, more, servers) => {
    const service = await serve({ swagger: { ...swagger, ...more } }, { at });
    const answers = [await service.ask("/spec"), await service.ask("/spec")];
    expect(answers.map(({ json }) => (json as { servers: unknown }).servers)).toEqual([servers, servers]);
  });
});

describe("the files of Swagger UI", () => {
  it("are these, with their licences, and lie in the folder that is served", () => {
    expect(pageFiles).toEqual(["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"]);
    expect(licenceFiles).toEqual(["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"]);
    for (const name of pageFiles) expect(readFileSync(join(findSwaggerUi(), name)).length, name).toBeGreaterThan(100);
    for (const name of licenceFiles) expect(readFileSync(join(findOriginal(), name)).length, name).toBeGreaterThan(0);
  });
});
