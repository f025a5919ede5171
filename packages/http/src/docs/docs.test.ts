import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Router } from "express";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { head, sendRaw } from "../../test/raw.ts";
import { counter, desk, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { generateOpenAPISpec } from "../openapi/generate-open-api-spec.ts";
import type { OpenApiSpec } from "../openapi/open-api-spec.ts";
import { findOriginal, findSwaggerUi } from "./swagger-ui-files.ts";

const agents = { helper: talker() };
const files = ["docs.css", "docs.js", "swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"];

async function publishedBy(
  options: Parameters<typeof serve>[0],
  at = "/",
  path = "/docs/spec.json",
): Promise<OpenApiSpec> {
  const service = await serve(options, { at });
  const { status, json } = await service.ask(path);
  expect(status).toBe(200);
  return json as OpenApiSpec;
}

describe("the docs", () => {
  it("[http.docs-switch] are served with the option swagger, unless enabled is false", async () => {
    const statusOf = async (options: Parameters<typeof serve>[0]) => (await (await serve(options)).ask("/docs")).status;

    expect(await statusOf({ agents })).toBe(404);
    expect(await statusOf({ agents, swagger: { enabled: false } })).toBe(404);
    expect(await statusOf({ agents, swagger: {} })).toBe(200);
    expect(await statusOf({ agents, swagger: { enabled: true } })).toBe(200);
  });

  it("[http.docs-spec-switch] have their spec at /docs/spec.json only when they are enabled", async () => {
    const specOf = async (options: Parameters<typeof serve>[0]) => {
      const { status, json } = await (await serve(options)).ask("/docs/spec.json");
      return [status, (json as { openapi?: string } | undefined)?.openapi];
    };

    expect(await specOf({ agents })).toEqual([404, undefined]);
    expect(await specOf({ agents, swagger: { enabled: false, specPath: "/docs/spec.json" } })).toEqual([
      404,
      undefined,
    ]);
    expect(await specOf({ agents, swagger: { enabled: true } })).toEqual([200, "3.0.3"]);
    expect(await specOf({ agents, swagger: {} })).toEqual([200, "3.0.3"]);
  });

  it("[http.docs-path] [http.docs-spec-path] are served at docsPath and specPath, by default /docs and /docs/spec.json", async () => {
    const byDefault = await serve({ agents, swagger: {} });
    const service = await serve({ agents, swagger: { docsPath: "/help/api", specPath: "/api.json" } });

    expect(await byDefault.ask("/docs")).toMatchObject({ status: 200 });
    expect(await byDefault.ask("/docs/spec.json")).toMatchObject({ status: 200, json: { openapi: "3.0.3" } });
    expect(await service.ask("/help/api")).toMatchObject({ status: 200 });
    expect(await service.ask("/api.json")).toMatchObject({ status: 200, json: { openapi: "3.0.3" } });
    expect(await service.ask("/docs")).toMatchObject({ status: 404 });
    expect(await service.ask("/docs/spec.json")).toMatchObject({ status: 404 });
  });

  it("[http.openapi-code] publish the description that generateOpenAPISpec returns", async () => {
    const options = { agents, teams: { t: desk() }, workflows: { w: counter() }, swagger: { title: "All of it" } };

    const { servers, ...published } = await publishedBy(options);

    expect(published).toEqual(JSON.parse(JSON.stringify(generateOpenAPISpec(options))));
    expect(servers).toEqual([{ url: "/" }]);
  });

  it.each([
    ["/", {}, "/"],
    ["/api/v1", {}, "/api/v1"],
    ["/api/v1", { routePrefix: "/v1" }, "/api"],
    ["/api", { routePrefix: "/api" }, "/"],
    ["/api", { routePrefix: "/v1" }, "/api"],
    ["/api", { servers: [{ url: "https://example.com" }] }, "https://example.com"],
  ])("[http.docs-servers] name the server of a router mounted at %s with %j as %s", async (at, swagger, url) => {
    expect((await publishedBy({ agents, swagger }, at)).servers).toEqual([{ url }]);
  });

  it("load only their own files, by relative links from any mount path", async () => {
    for (const [at, path] of [
      ["/", "/docs"],
      ["/a/b", "/docs"],
      ["/a/b", "/docs/"],
      ["/a", "/deep/er/docs/"],
    ] as const) {
      const docsPath = path.replace(/\/$/, "");
      const service = await serve({ agents, swagger: { docsPath, specPath: "/spec" } }, { at });
      const { text } = await service.ask(path);
      const links = [...text.matchAll(/(?:src|href|data-spec)="([^"]+)"/g)].map(([, link = ""]) => link);
      const page = new URL(`http://127.0.0.1:${service.port}${at === "/" ? "" : at}${path}`);
      const statuses = await Promise.all(links.map(async (link) => (await fetch(new URL(link, page))).status));

      expect(links.length).toBeGreaterThan(4);
      expect(new Set(statuses)).toEqual(new Set([200]));
      for (const link of links) expect(link).not.toMatch(/^\/|:/);
    }
  });

  it("forbid other hosts, inline scripts, frames and type sniffing", async () => {
    const service = await serve({ agents, swagger: {} });

    const page = await service.ask("/docs");

    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    expect(page.text).not.toMatch(/<script>|<style|style=|onload/);
    for (const path of ["", "/spec.json", ...files.map((file) => `/${file}`)]) {
      expect((await service.ask(`/docs${path}`)).headers.get("x-content-type-options"), path).toBe("nosniff");
    }
  });

  it("escape the title", async () => {
    const service = await serve({ swagger: { title: `</title><script>alert("1")</script>'&` } });

    const { text } = await service.ask("/docs");

    expect(text).toContain("&#60;/title&#62;&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;");
    expect(text).not.toContain("<script>");
  });

  it.each(files)("answer 304 for %s until it has changed", async (file) => {
    const service = await serve({ swagger: {} });
    const first = await service.ask(`/docs/${file}`);
    const etag = first.headers.get("etag") ?? "";
    // Keeps fetch from answering out of a cache.
    const again = await sendRaw(service, head(`/docs/${file}`, `If-None-Match: ${etag}`).replace("POST", "GET"));

    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-cache"]);
    expect(etag).not.toBe("");
    expect(again).toMatch(/^HTTP\/1\.1 304 /);
    expect(again).toMatch(/\r\n\r\n$/);
  });

  it("are served behind the middleware", async () => {
    const refuse: RequestHandler = (_, response) => void response.writeHead(401).end();
    const service = await serve({ swagger: {}, middleware: [refuse] });

    for (const path of ["/docs", "/docs/spec.json", "/docs/swagger-ui-bundle.js"]) {
      expect(await service.ask(path)).toMatchObject({ status: 401 });
    }
  });

  it("take GET and HEAD alone", async () => {
    const service = await serve({ swagger: {} });

    for (const path of ["/docs", "/docs/spec.json", "/docs/swagger-ui.css"]) {
      const { status, headers } = await service.ask(path, { method: "POST" });
      expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      expect(await service.ask(path, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
    }
    expect(await service.ask("/docs/LICENSE")).toMatchObject({ status: 404 });
  });

  it("name the mount path of a router below a path with parameters", async () => {
    const inner = Router();
    const service = await serve(
      { agents, swagger: {} },
      { at: "/:tenant", before: [inner], onExpress: "its mount path has a parameter" },
    );

    const response = await fetch(`http://127.0.0.1:${service.port}/acme/docs/spec.json`);

    expect(await response.json()).toMatchObject({ servers: [{ url: "/acme" }] });
  });
});

describe("the files of Swagger UI", () => {
  it("come from the package swagger-ui-dist as long as nothing is built", () => {
    expect(findSwaggerUi()).toBe(findOriginal());
    expect(readFileSync(join(findOriginal(), "LICENSE"), "utf8")).toContain("Apache License");
  });
});
