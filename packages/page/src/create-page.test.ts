import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { readClientFiles } from "./client-files.ts";
import { createPage } from "./create-page.ts";
import type { MountedPageOptions } from "./create-page.ts";

/** Serves the page at a path until the test is over, and returns the URL of the server. */
async function serve(options: MountedPageOptions = {}, at = "/"): Promise<string> {
  const app = express();
  app.use(at, createPage(options));
  app.use((_, response) => void response.status(404).send("the host's own"));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The URLs that a document links to. */
function linksOf(html: string, url: string): URL[] {
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = ""]) => new URL(link, url));
}

/** The names of a script and of those that it imports before it runs. */
function reachable(script: string, read: (name: string) => string): string[] {
  const names = new Set([script]);
  // A set is read on while it grows.
  for (const name of names) {
    for (const [, imported = ""] of read(name).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) names.add(imported);
  }
  return [...names];
}

describe("the page", () => {
  it("forbids inline scripts and styles, other hosts, frames and strings that become markup [page.policy]", async () => {
    const response = await fetch(await serve());
    const html = await response.text();

    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).not.toContain("unsafe");
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "font-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]),
    );
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
  });

  it.each([
    ["/", "/"],
    ["/chat", "/chat"],
    ["/chat", "/chat/?q=1"],
    ["/a/b", "/a/b"],
  ])("mounted at %s loads its files from %s by relative links [page.paths]", async (at, path) => {
    const origin = await serve({}, at);
    const html = await (await fetch(origin + path)).text();
    const links = linksOf(html, origin + path);

    expect(links).toHaveLength(4);
    for (const link of links) {
      const response = await fetch(link);
      expect([response.status, response.headers.get("x-content-type-options")], link.pathname).toEqual([
        200,
        "nosniff",
      ]);
      await response.body?.cancel();
    }
  });

  it("leaves other paths to the host [page.paths]", async () => {
    const origin = await serve();

    for (const path of ["/agents", "/assets/other.js", "/assets/..%2f..%2fpackage.json", "/assets/__proto__"]) {
      const response = await fetch(origin + path);
      expect([response.status, await response.text()], path).toEqual([404, "the host's own"]);
    }
    for (const path of ["/", "/assets/icon.svg"]) {
      const response = await fetch(origin + path, { method: "POST" });
      expect([response.status, await response.text()], path).toEqual([404, "the host's own"]);
    }
  });

  it("has files that browsers keep, compressed, and a document that they ask for anew [page.caching]", async () => {
    const origin = await serve();
    const document = await fetch(origin);
    const script = linksOf(await document.text(), origin).find(({ pathname }) => pathname.endsWith(".js")) ?? "";
    const [brotli, gzip, plain] = await Promise.all(
      ["br, gzip", "gzip", "identity"].map(
        async (encoding) => await fetch(script, { headers: { "accept-encoding": encoding } }),
      ),
    );
    const etag = document.headers.get("etag") ?? "";
    // With a directive of its own, since fetch would ask for an answer that is no 304.
    const conditional = { "if-none-match": etag, "cache-control": "max-age=0" };
    const again = await fetch(origin, { headers: conditional });

    expect(document.headers.get("cache-control")).toBe("no-cache");
    expect(String(script)).toMatch(/\/main-[A-Z0-9]{8}\.js$/);
    expect(brotli?.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect([brotli, gzip, plain].map((response) => response?.headers.get("content-encoding"))).toEqual([
      "br",
      "gzip",
      null,
    ]);
    const texts = await Promise.all([brotli, gzip, plain].map(async (response) => await response?.text()));
    expect(new Set(texts).size).toBe(1);
    expect(again.status).toBe(304);
  });

  it("serves its web font under a name that browsers keep, and shows its texts before the font is there [page.fonts]", async () => {
    const origin = await serve();
    const { files, style, font } = await readClientFiles();
    const css = files.get(style)?.plain.toString() ?? "";
    const faces = css.match(/@font-face\{[^}]*\}/g) ?? [];
    const names = faces.map((face) => /url\("?\.\/([^")]+)/.exec(face)?.[1] ?? face);
    const [link] = linksOf(await (await fetch(origin)).text(), origin).filter(({ pathname }) =>
      pathname.endsWith(".woff2"),
    );
    const response = await fetch(link ?? "", { headers: { "accept-encoding": "br, gzip" } });

    expect(names).toEqual([expect.stringMatching(/^geist-latin-ext-.*-[A-Z0-9]{8}\.woff2$/), font]);
    for (const face of faces) expect(face).toMatch(/font-display:swap.*unicode-range:U\+/);
    expect(link?.pathname).toBe(`/assets/${font}`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "font/woff2",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(Buffer.from(await response.arrayBuffer())).toEqual(files.get(font)?.plain);
    expect(files.get(font)?.plain.length).toBeLessThan(32_000);
  });

  it("names no web font if the host has chosen those of the system [page.fonts]", async () => {
    const [web = "", system = ""] = await Promise.all(
      (["web", "system"] as const).map(async (fonts) => await (await fetch(await serve({ fonts }))).text()),
    );

    expect(web).toMatch(/woff2.*data-fonts="web"/s);
    expect(system).not.toMatch(/data-fonts|woff2|preload/);
    expect(web).toBe(await (await fetch(await serve())).text());
  });

  it("weighs at most 60 KB on its way, without the inspector and the graphs of workflows, which come when they are shown [page.weight]", async () => {
    const { files, script, style } = await readClientFiles();
    const document = await (await fetch(await serve())).text();
    const scripts = reachable(script, (name) => files.get(name)?.plain.toString() ?? "");
    const weights = [style, ...scripts].map((name) => files.get(name)?.gzip?.length ?? Number.NaN);
    const weight = weights.reduce((sum, each) => sum + each, gzipSync(document).length);

    expect(scripts.some((name) => /^(?:inspector-view|step-graph)/.test(name))).toBe(false);
    expect(files.get(style)?.plain.toString()).not.toContain(".inspector");
    expect([...files.keys()].some((name) => name.startsWith("inspector-view"))).toBe(true);
    expect(weight).toBeLessThan(60_000);
  });

  it("escapes what the host writes into the document", async () => {
    const html = await (
      await fetch(await serve({ title: `"><script>alert(1)</script>`, suggestions: { a: [`"><img src=x>`] } }))
    ).text();

    expect(html).not.toMatch(/<script>|<img/);
    expect(html).toContain("&#60;script&#62;");
  });

  it.each([
    [{ api: "https://elsewhere.test/" }, "api must be a path on the origin of the page"],
    [{ api: "//elsewhere.test" }, "api must be a path on the origin of the page"],
    [{ title: " " }, "title must be"],
    [{ suggestions: { helper: "What?" } }, "suggestions.helper must be an array"],
    [{ colour: "red" }, "colour"],
  ])("refuses the options %j", (options, message) => {
    expect(() => createPage(options as MountedPageOptions)).toThrow(message);
  });
});
